// report/problems.h: what a code host or a test report shows: a rule, a line and a message for each, in one form for all formats.
// World: offline. Pure functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/compare/limits.h"
#include "analyze/findings/findings.h"

namespace tenure::report {

// One run that was checked.
struct CheckedRun {
  std::string record;     // as it was named
  std::string directory;  // where the run was made: paths are relative to it
  analyze::Findings findings;
  analyze::CheckResult result;
  bool is_unknown_ok = false;
};

enum class Level { error, warning, note };

struct Problem {
  std::string rule;  // the kind of the finding, or the limit
  Level level = Level::error;
  std::string headline;                 // one short sentence, without a full stop
  std::string details;                  // who keeps it and what to do; may be empty
  std::optional<analyze::Place> place;  // the file relative to the run's directory
  std::vector<analyze::Place> others;   // the same
  std::string fingerprint;              // the same for a line that moved
};

// What is beyond the limits; that nothing can be told, where that is so.
std::vector<Problem> problems_of(const CheckedRun& run);

// Every finding, as loud as its severity.
std::vector<Problem> problems_of(const analyze::Findings& findings, const std::string& directory);

// `growth`, `peak`...: what a limit is called in files.
const char* name_of(analyze::Limit limit);
const char* name_of(Level level);

// `at most 2 GiB live at once in one process`
std::string limit_text(analyze::Limit limit, const analyze::Limits& limits);

// Those that are set, in one order.
std::vector<analyze::Limit> limits_set(const analyze::Limits& limits);

// Whether it counts as within: it is, or it cannot be told and need not be.
bool is_passed(const CheckedRun& run);

// Why nothing can be told, in words.
std::string why_unknown(const CheckedRun& run);

}  // namespace tenure::report
