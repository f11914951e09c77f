// cli/run_report.h: what `tenure run` says after the program, and the end of its record.
// World: offline.
#pragma once
#include <string>

#include "cli/check_plan.h"
#include "cli/verbs.h"
#include "record/record.h"

namespace tenure::cli {

struct RunReport {
  bool has_told = false;  // whether there was anything to say
  int check_code = 0;     // of --check; 0 where nothing was to be checked
};

// After the program: never fails loudly; the program's own end matters more. `plan`: nullptr where no limits were given.
RunReport report_run(const record::Record& record, const std::string& directory,
                     const RunOptions& options, const CheckPlan* plan);

}  // namespace tenure::cli
