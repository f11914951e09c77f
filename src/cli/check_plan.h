// cli/check_plan.h: what `tenure check` and `tenure run --check` were asked, read before anything is judged; and the end of
// both: the output, the baseline and the exit code.
// World: offline.
#pragma once
#include <string>
#include <vector>

#include "analyze/compare/baseline.h"
#include "analyze/compare/limits.h"
#include "base/result.h"
#include "cli/verbs.h"
#include "report/problems.h"

namespace tenure::cli {

inline constexpr int kWithin = 0, kBeyond = 1, kCannotTell = 2;

struct CheckPlan {
  CheckOptions options;
  analyze::Limits limits;
  analyze::Baseline baseline;
};

// Errors of usage: a wrong size or format, a baseline that cannot be read.
Result<CheckPlan> plan_check(const CheckOptions& options);

report::CheckedRun checked(const CheckPlan& plan, const std::string& record,
                           const std::string& directory, analyze::Findings findings);

// Where the text goes: `check` tells on standard output, `run` on standard error.
enum class Audience { standard_output, standard_error };

// Writes what was asked for and gives the exit code: beyond before cannot tell.
int conclude(const CheckPlan& plan, const std::vector<report::CheckedRun>& runs, Audience audience);

}  // namespace tenure::cli
