// report/formats/junit.h: checked runs as JUnit XML: a suite for each run, a test case for each limit.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "report/problems.h"

namespace tenure::report {

std::string junit(const std::vector<CheckedRun>& runs);

}  // namespace tenure::report
