// cli/run_report.h: what `tenure run` says after the program, and the end of its record.
// World: offline.
#pragma once
#include <string>

#include "cli/verbs.h"
#include "record/record.h"

namespace tenure::cli {

// After the program: never fails loudly; the program's own end matters more.
void report_run(const record::Record& record, const std::string& directory,
                const RunOptions& options);

}  // namespace tenure::cli
