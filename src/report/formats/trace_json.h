// report/formats/trace_json.h: memory over time as counters of a Chrome trace, which Perfetto shows.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "analyze/run/timeline.h"
#include "record/run_outcome.h"

namespace tenure::report {

// Live and resident memory, and steps. `name`: of the program.
std::string trace_json(const std::vector<analyze::ProcessTimeline>& timelines,
                       const std::vector<record::Moment>& moments, const std::string& name);

}  // namespace tenure::report
