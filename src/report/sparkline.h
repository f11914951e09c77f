// report/sparkline.h: figures over time as one row of characters.
// World: offline. Pure functions.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tenure::report {

// Seconds and bytes, in the order of time.
using Curve = std::vector<std::pair<double, uint64_t>>;

// `width` columns from 0 seconds to the last moment, from 0 bytes to the most; each shows the most of its time. Nothing
// where the curve has no moment, or no byte.
std::string sparkline(const Curve& curve, int width);

}  // namespace tenure::report
