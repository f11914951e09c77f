// report/figures.h: every site, every loop and the largest live blocks as JSON, for `tenure show --figures`.
// World: offline. Pure function.
#pragma once
#include <string>
#include <vector>

#include "analyze/run/figures.h"

namespace tenure::report {

// {"schema":"tenure-figures/1", "sites":[...], "steps":[...], "blocks":[...]}; all sizes are bytes; ends with a newline.
std::string figures_json(const std::vector<analyze::SiteFigures>& sites,
                         const std::vector<analyze::SeenUnit>& units,
                         const std::vector<analyze::BlockFigures>& blocks);

}  // namespace tenure::report
