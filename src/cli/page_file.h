// cli/page_file.h: the report page of a record as a file: for `tenure report` and `tenure run --report`.
// World: offline.
#pragma once
#include <string>

#include "analyze/findings/findings.h"
#include "analyze/page/page.h"
#include "base/result.h"
#include "record/record.h"

namespace tenure::cli {

Result<bool> write_page(const record::Record& record, const analyze::Findings& findings,
                        analyze::Page page, const std::string& path);

}  // namespace tenure::cli
