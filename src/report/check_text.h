// report/check_text.h: what `tenure check` says: short enough for a pull request.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "analyze/compare/baseline.h"
#include "report/problems.h"

namespace tenure::report {

struct BaselineUse {
  std::string file;  // empty: none was asked for
  size_t stale = 0;  // entries that no run showed
};

// Ends with a newline.
std::string check_text(const std::vector<CheckedRun>& runs, const BaselineUse& baseline);

}  // namespace tenure::report
