// inproc/snapshot/waiting_copy.h: a copy of the program that waits: what it shows is worth a walk of the heap only if nothing
// later shows it too, and a walk takes far longer than a copy.
// World: inside. Orders are given by the program's process, or by a later copy of it, in memory that all of them share.
#pragma once
#include <atomic>
#include <cstdint>

namespace tenure::inproc {

// Zeroed memory is the start. Numbers of copies count from 1, in the order in which they were made.
class WaitingOrders {
 public:
  void walk(uint32_t number) noexcept { walking_.store(number, std::memory_order_release); }
  void dismiss_up_to(uint32_t number) noexcept {
    dismissed_.store(number, std::memory_order_release);
  }
  // The process may end before the order comes: a later copy will give it, by this time of CLOCK_MONOTONIC.
  void come_by(uint64_t ns) noexcept { awaited_until_.store(ns, std::memory_order_release); }

  bool is_to_walk(uint32_t number) const noexcept {
    return walking_.load(std::memory_order_acquire) == number;
  }
  bool is_dismissed(uint32_t number) const noexcept {
    return dismissed_.load(std::memory_order_acquire) >= number;
  }
  bool are_awaited(uint64_t now_ns) const noexcept {
    return now_ns < awaited_until_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<uint32_t> walking_, dismissed_;  // release; copies acquire
  std::atomic<uint64_t> awaited_until_;
};

// In the copy. True: it is to walk, also where the program died without an order. False: nobody needs it, or nobody is there
// any more who would take it. `link` leads to the supervisor, which sends a word when the run is over.
// Cost: a look every 20 ms.
bool wait_for_order(const WaitingOrders& orders, uint32_t number, int program_pid,
                    int link) noexcept;

// Whether this kernel can tell a copy that the program has died.
bool can_wait() noexcept;

}  // namespace tenure::inproc
