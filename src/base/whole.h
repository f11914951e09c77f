// base/whole.h: a double as a count. What no count can be becomes the nearest one that can.
// World: both. Pure.
#pragma once
#include <cstdint>

namespace tenure {

constexpr uint64_t whole(double value) {
  constexpr double kMost = 0x1p63;
  if (!(value > 0)) return 0;  // also what is not a number
  return value < kMost ? static_cast<uint64_t>(value) : static_cast<uint64_t>(kMost);
}

}  // namespace tenure
