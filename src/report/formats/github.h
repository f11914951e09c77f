// report/formats/github.h: problems as annotations that GitHub Actions reads from a step's output.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "report/problems.h"

namespace tenure::report {

// `::error file=train.py,line=42,title=...::...`, a line each.
std::string github_annotations(const std::vector<Problem>& problems);

}  // namespace tenure::report
