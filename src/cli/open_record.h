// cli/open_record.h: a record as the verbs that read one need it.
// World: offline.
#pragma once
#include <string>

#include "base/result.h"
#include "record/record.h"

namespace tenure::cli {

// An error: there is no record, or nothing in it can be read. Of a program that is gone although nobody saw it end, that
// is known afterwards.
Result<record::Record> open_record(const std::string& directory);

}  // namespace tenure::cli
