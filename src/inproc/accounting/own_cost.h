// inproc/accounting/own_cost.h: what Tenure costs the program, in time and memory, and the governor that bounds the time.
// World: inside. Any thread. A ThreadCost belongs to its thread; the rest is shared and rarely touched.
//
// Slow paths (births and ends) are timed one in 64 on average, after gaps drawn at random: a program whose loop makes 64
// blocks a round would otherwise be judged by one of them. Each timed path stands for 64, so the sum is unbiased.
#pragma once
#include <cstdint>

#include "inproc/accounting/thread_cost.h"
#include "ledger/writer.h"

namespace tenure::inproc {

class OwnCost {
 public:
  static constexpr uint32_t kTimedEvery = 64;
  // A path that took longer was interrupted by another process, or met one of the few pages made on first use: its weight
  // would say more of the machine than of us.
  static constexpr uint64_t kLongestNs = 5000;
  static constexpr uint64_t kQuietNs = 2'000'000'000;  // imports are no steady state
  static constexpr uint64_t kWindowNs = 200'000'000;
  static constexpr uint32_t kFewestSamples = 16;
  static constexpr uint64_t kBudget = 100;  // 1/100 of a thread's time
  static constexpr size_t kHighestThreshold = 64 << 10;
  static constexpr uint64_t kMemoryEveryNs = 1'000'000'000;
  static constexpr uint64_t kLookEveryNs = 20'000'000;

  // Once the ledger is there; again in a forked child, for its own.
  void start(ledger::Writer* ledger, uint64_t now_ns) noexcept;
  // The process has forked: nothing is booked until it has a ledger of its own.
  void forget_ledger() noexcept { ledger_ = nullptr; }

  // When the thread's turn has come: draws its next turn, and gives the time. 0: the thread was new, nothing is timed.
  uint64_t begin(ThreadCost& thread) const noexcept;
  // Books a timed path. Above the budget the exact threshold doubles, far above it more than once; weights keep the
  // figures unbiased.
  void finish(ThreadCost& thread, uint64_t started_ns, uint64_t now_ns) noexcept;

  // Processor time of what is metered whole; kept until there is a ledger.
  void add_part(uint64_t ns) noexcept;
  // What was resident before adapters were loaded, and after it.
  void add_adapter_bytes(uint64_t before, uint64_t after) noexcept;

  void measure_memory() noexcept;

 private:
  void look_at_clocks(uint64_t now_ns) noexcept;
  void judge_window(ThreadCost& thread, uint64_t now_ns) noexcept;
  void raise_threshold(uint64_t now_ns, int steps) noexcept;

  ledger::Writer* ledger_ = nullptr;
  std::atomic<uint64_t> before_ledger_ns_{0};  // relaxed
  uint64_t clock_ns_ = 0;                      // what reading the clock twice adds to a timed path
  std::atomic<uint64_t> raised_at_ns_{0};  // relaxed, as below: at worst two threads do it at once
  std::atomic<uint64_t> measured_at_ns_{0};  // when memory was last measured
  std::atomic<uint64_t> looked_at_ns_{0};    // and how far the program had come
};

}  // namespace tenure::inproc
