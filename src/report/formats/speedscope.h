// report/formats/speedscope.h: stacks as speedscope reads them: a profile for each figure.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "report/formats/profile_figure.h"

namespace tenure::report {

// `shown`: the figure that is looked at first.
std::string speedscope(const std::vector<analyze::StackSample>& samples, Figure shown,
                       const std::string& name);

}  // namespace tenure::report
