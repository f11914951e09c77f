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

// Another document in the same page.
Result<bool> write_document(const std::string& document, const std::string& path);

// The page of a record as it lies there now; `output` empty: into the record. Where it was written.
Result<std::string> write_page_of(const std::string& directory, const std::string& output);

// Hands a page to the browser of the session. False: there is no session with windows, or nothing that opens files in it.
bool open_in_browser(const std::string& page);

}  // namespace tenure::cli
