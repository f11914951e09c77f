// report/formats/sarif.h: problems as SARIF 2.1.0, which code hosts and editors show at their lines.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "report/problems.h"

namespace tenure::report {

// What one run had; `directory` is where its relative paths begin.
struct SarifRun {
  std::string directory;
  std::vector<Problem> problems;
};

std::string sarif(const std::vector<SarifRun>& runs);

}  // namespace tenure::report
