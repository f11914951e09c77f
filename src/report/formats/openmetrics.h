// report/formats/openmetrics.h: a running program as OpenMetrics text, for Prometheus and what reads its format.
// World: offline. Pure function; docs/fleet.md lists the metrics.
#pragma once
#include <string>

#include "report/live_state.h"

namespace tenure::report {

// Lines of the program that have metrics of their own: every set of labels is a series in the reader's store.
inline constexpr size_t kMostMetricLines = 20;

// Of `own_seconds` is what the writer of the metrics took itself.
std::string openmetrics(const LiveState& state, double own_seconds);

}  // namespace tenure::report
