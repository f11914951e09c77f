// inproc/accounting/gate.h: the one compare and the one subtraction that let most allocations pass unseen.
// World: inside, on the program's hottest path: nothing here may become a call.
// Cost: about 1 ns an allocation (bench/micro). Every address is known to the linker; thread-local memory is initial-exec.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inproc/accounting/thread_state.h"

namespace tenure::inproc {

inline constexpr size_t kGateShut =
    0;  // nothing passes: not started, so nothing below us is resolved
inline constexpr size_t kGateOpen = SIZE_MAX;  // everything passes: nobody counts in this process

// Blocks of at least so many bytes are counted one by one. Relaxed: a block more or less does no harm.
extern std::atomic<size_t> g_exact_from __attribute__((visibility("hidden")));

inline bool is_exact(size_t n) noexcept {
  return n >= g_exact_from.load(std::memory_order_relaxed);
}

// True when nothing of this block has to be known. The functions behind ours are resolved then.
inline bool passes_unseen(size_t n) noexcept {
  return !is_exact(n) && (g_thread.bytes_until_sample -= static_cast<int64_t>(n)) >= 0;
}

// At the end of start: without anybody who counts, every block passes. The functions behind ours must be resolved.
inline void open_gate_if_shut() noexcept {
  size_t shut = kGateShut;
  g_exact_from.compare_exchange_strong(shut, kGateOpen, std::memory_order_relaxed);
}

}  // namespace tenure::inproc
