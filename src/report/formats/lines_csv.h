// report/formats/lines_csv.h: what each line held and made, as a table for other programs.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "analyze/run/stack_profile.h"

namespace tenure::report {

// One row for each process, line and kind of block, by bytes at the peak; RFC 4180. Paths are relative to `directory`.
std::string lines_csv(const std::vector<analyze::StackSample>& samples,
                      const std::string& directory);

}  // namespace tenure::report
