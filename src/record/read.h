// record/read.h: from a record's directory to a Record.
// World: offline. Reads files of the record only.
#pragma once
#include <string>

#include "base/result.h"
#include "record/record.h"

namespace tenure::record {

// Reads DIR/run.json and every ledger it names. A damaged file is told in `unreadable`; an error is a record of another
// version, or one without run.json and without any ledger.
Result<Record> read_record(const std::string& directory);

}  // namespace tenure::record
