// ledger/named_series.h: whose steps a series of the kind `named` counts.
// World: both. A constant.
#pragma once
#include <cstdint>

namespace tenure::ledger {

// `start` of a series that a framework counts by itself; 0 is one that somebody asked for by name.
inline constexpr uint64_t kFrameworksStep = 1;

}  // namespace tenure::ledger
