// base/monotonic.h: the machine's clock as the programs' ledgers tell it: CLOCK_MONOTONIC, which is std::chrono's steady one.
// World: offline. Thread-safe.
#pragma once
#include <chrono>
#include <cstdint>

namespace tenure {

inline uint64_t monotonic_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace tenure
