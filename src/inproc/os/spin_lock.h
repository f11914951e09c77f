// inproc/os/spin_lock.h: a lock of one byte that is free when zero, so that zeroed pages are ready to use.
// World: inside. Held for tens of nanoseconds; never across a system call that can block.
#pragma once
#include <sched.h>

#include <atomic>
#include <cstdint>

#include "inproc/os/lock_order.h"

namespace tenure::inproc {

inline void relax_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// One more turn of waiting: first on the CPU, then behind other threads.
class SpinWait {
 public:
  void once() noexcept {
    if (++turns_ < 64)
      relax_cpu();
    else
      sched_yield();
  }

 private:
  int turns_ = 0;
};

class SpinGuard {
 public:
  SpinGuard(std::atomic<uint8_t>& lock, LockRank rank) noexcept : order_(rank), lock_(lock) {
    // acquire pairs with the release in the destructor
    for (SpinWait wait; lock_.exchange(1, std::memory_order_acquire) != 0;) wait.once();
  }
  ~SpinGuard() { lock_.store(0, std::memory_order_release); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  [[no_unique_address]] LockOrder order_;
  std::atomic<uint8_t>& lock_;
};

// The lock if it can be had soon; else the caller does without. For locks that a signal handler may meet.
class TryGuard {
 public:
  explicit TryGuard(std::atomic<uint8_t>& lock) noexcept : lock_(lock) {
    for (int i = 0; i < kTurns && !is_held_; ++i) {
      // acquire pairs with the release in the destructor
      is_held_ = lock_.exchange(1, std::memory_order_acquire) == 0;
      if (!is_held_) relax_cpu();
    }
  }
  ~TryGuard() {
    if (is_held_) lock_.store(0, std::memory_order_release);
  }
  TryGuard(const TryGuard&) = delete;
  TryGuard& operator=(const TryGuard&) = delete;
  explicit operator bool() const noexcept { return is_held_; }

 private:
  static constexpr int kTurns = 1000;
  std::atomic<uint8_t>& lock_;
  bool is_held_ = false;
};

}  // namespace tenure::inproc
