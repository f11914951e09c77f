// analyze/compare/limits.h: whether a run keeps to limits: what `tenure check` decides.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/compare/baseline.h"
#include "analyze/findings/findings.h"

namespace tenure::analyze {

enum class Limit { growth, accumulated, peak, lifetime_errors, death };

// What is asked of a run. Nothing asked for: no growth and no lifetime error.
struct Limits {
  std::optional<uint64_t> growth;       // bytes every step, of one cause
  std::optional<uint64_t> accumulated;  // bytes that one cause that grows may come to hold
  std::optional<uint64_t> peak;         // bytes live at once, in one process
  bool forbids_lifetime_errors = false;

  bool are_default() const { return !growth && !accumulated && !peak && !forbids_lifetime_errors; }
  // With the default in place of nothing.
  Limits in_force() const;
};

// One thing beyond a limit.
struct Excess {
  Limit limit = Limit::growth;
  std::optional<size_t> finding;  // in the findings of the run; nothing: the whole process
  int pid = 0;                    // of a peak
  double bytes = 0;               // that there are
  double most = 0;                // that are allowed
  bool has_outgrown = false;      // it is in the baseline, with less
};

enum class CheckState { within, beyond, unknown };

struct CheckResult {
  CheckState state = CheckState::within;
  Limits limits;  // in force
  std::vector<Excess> excesses;
  std::vector<size_t> accepted;   // findings beyond a limit that the baseline has
  std::vector<size_t> not_asked;  // leaks and errors that no limit was set for
  std::vector<size_t> met;        // entries of the baseline that this run showed
};

// `unknown` is said where nothing is beyond, and something was not seen or could not be read.
CheckResult check(const Findings& findings, const Limits& limits, const Baseline& baseline);

}  // namespace tenure::analyze
