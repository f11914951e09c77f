// report/figures.h: every site and every loop with its figures as JSON, for `tenure show --figures`.
// World: offline. Pure function.
#pragma once
#include <string>
#include <vector>

#include "analyze/figures.h"

namespace tenure::report {

// {"schema":"tenure-figures/1", "sites":[...], "steps":[...]}; all sizes are bytes; ends with a newline.
std::string figures_json(const std::vector<analyze::SiteFigures>& sites,
                         const std::vector<analyze::SeenUnit>& units);

}  // namespace tenure::report
