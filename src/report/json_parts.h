// report/json_parts.h: the parts of findings.json that other contracts have too.
// World: offline. Pure functions.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "analyze/findings/findings.h"

namespace tenure::report {

nlohmann::ordered_json finding_json(const analyze::Finding& finding);
nlohmann::ordered_json balance_json(const analyze::LineBalance& balance);

}  // namespace tenure::report
