// report/formats/difference_json.h: two runs compared, as the contract `tenure-diff/1`: docs/diff.schema.json.
// World: offline. Pure functions.
#pragma once
#include <string>

#include "report/difference_text.h"

namespace tenure::report {

std::string difference_json(const ComparedRun& before, const ComparedRun& after,
                            const analyze::Difference& difference);

}  // namespace tenure::report
