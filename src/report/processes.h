// report/processes.h: the table of `tenure show --processes`: who was there when, and what each held.
// World: offline. Pure functions.
#pragma once
#include <string>

#include "analyze/findings/findings.h"

namespace tenure::report {

std::string processes_table(const analyze::Findings& findings, int width);

}  // namespace tenure::report
