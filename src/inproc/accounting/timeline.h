// inproc/accounting/timeline.h: how far the program had come at some of its births: clocks and live bytes.
// World: inside. Any thread; entries are written under its lock.
//
// An entry every so many ticks, fewer and fewer as the table fills. Where a program worked for long without a birth, the
// births on both sides get an entry each: interpolated between two far ones, what was loaded before the work would seem to
// have come all along it.
#pragma once
#include <atomic>

#include "ledger/writer.h"

namespace tenure::inproc {

// One moment by each clock. `cycles` is read at every birth, the others are system calls.
struct Clocks {
  uint64_t mono_ns, cpu_ns, cycles;
};

class Timeline {
 public:
  void start(ledger::Writer* ledger) noexcept { ledger_ = ledger; }
  void restart() noexcept;  // in a forked child

  bool is_turn(Tick tick) const noexcept {
    return (tick & mask_.load(std::memory_order_relaxed)) == 0;
  }
  // `last`: cycles at the last birth of this thread; also true at its first one, when that is 0.
  bool is_after_pause(uint64_t last, uint64_t cycles) const noexcept {
    return cycles - last > pause_cycles_.load(std::memory_order_relaxed);
  }

  // True: the table was full and has been halved.
  bool add(Tick tick, const Clocks& now) noexcept;
  // Adds the birth before `tick`, which came at `last`, unless other threads made blocks since then.
  void add_before_pause(Tick tick, uint64_t last, const Clocks& now) noexcept;

 private:
  ledger::TimelineEntry& entry(uint32_t index) noexcept;
  void append(const ledger::TimelineEntry& entry) noexcept;
  void halve(Tick tick) noexcept;

  static constexpr uint64_t kShortestPause = 1 << 26;  // cycles: some 25 ms

  ledger::Writer* ledger_ = nullptr;
  std::atomic<uint8_t> lock_{0};
  std::atomic<uint64_t> mask_{0};  // an entry every mask + 1 ticks; changed under the lock
  std::atomic<uint64_t> pause_cycles_{kShortestPause};  // likewise
  Clocks first_{};                                      // guarded by the lock
};

}  // namespace tenure::inproc
