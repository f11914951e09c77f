// report/page_parts.h: parts of the report page's document that the page of `tenure diff` has too.
// World: offline. Pure functions.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "analyze/page/page.h"

namespace tenure::report {

// Memory along the run, a column each.
nlohmann::ordered_json moments_json(const analyze::PageProcess& process);

double rounded_for_page(double value);  // 0 for what is no number

}  // namespace tenure::report
