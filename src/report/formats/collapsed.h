// report/formats/collapsed.h: stacks as flame graphs read them: `main;train 1048576`, a line for each.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "report/formats/profile_figure.h"

namespace tenure::report {

// Outermost frame first, bytes last; largest first. Of several processes each has a frame of its own. Paths are relative to
// `directory`.
std::string collapsed(const std::vector<analyze::StackSample>& samples, Figure figure,
                      const std::string& directory);

}  // namespace tenure::report
