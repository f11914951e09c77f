// The timeline of a run: what is known of the time between two births. Clocks are passed in.
#include "inproc/accounting/timeline.h"

#include <gtest/gtest.h>

#include <memory>

#include "../ledger/memory_ledger.h"

namespace tenure::inproc {
namespace {

constexpr uint64_t kMs = 1'000'000;

// One thread that does nothing but work: all clocks go alike, two cycles to a nanosecond.
class BusyProgram : public ::testing::Test {
 protected:
  void SetUp() override { timeline_.start(&ledger_.writer()); }

  void birth() {
    ++tick_;
    now_ns_ += 1000;
    const uint64_t cycles = 2 * now_ns_;
    const Clocks now{now_ns_, now_ns_, cycles};
    bool is_after_pause = timeline_.is_after_pause(last_, cycles);
    if (is_after_pause) timeline_.add_before_pause(tick_, last_, now);
    if (is_after_pause || timeline_.is_turn(tick_)) timeline_.add(tick_, now);
    last_ = cycles;
  }
  void work(uint64_t ms) { now_ns_ += ms * kMs; }

  uint32_t used() { return ledger_.writer().used(ledger::TableId::timeline); }
  const ledger::TimelineEntry& entry(uint32_t i) {
    return *ledger_.writer().record<ledger::TimelineEntry>(ledger::TableId::timeline, i);
  }
  // The longest time between an entry and the next.
  uint64_t longest_tick() {
    uint32_t found = 2;
    for (uint32_t i = 2; i < used(); ++i)
      if (entry(i).cpu_ns - entry(i - 1).cpu_ns > entry(found).cpu_ns - entry(found - 1).cpu_ns)
        found = i;
    return entry(found - 1).tick;
  }

  ledger::MemoryLedger ledger_;
  Timeline timeline_;
  uint64_t last_ = 0;
  Tick tick_ = 0;
  uint64_t now_ns_ = kMs;
};

TEST_F(BusyProgram, TheLastBirthBeforeLongWorkHasAnEntry) {
  for (int i = 0; i < 3001; ++i) birth();
  work(900);
  birth();
  EXPECT_EQ(longest_tick(), 3001u);
}

TEST_F(BusyProgram, LongWorkKeepsBothEndsWhenTheTableIsHalved) {
  for (int i = 0; i < 3001; ++i) birth();
  work(5000);
  for (int i = 0; i < 200'000; ++i) birth();
  EXPECT_EQ(longest_tick(), 3001u);
}

TEST_F(BusyProgram, EvenWorkAddsNoEntries) {
  for (int i = 0; i < 20'000; ++i) {
    birth();
    work(20);
  }
  EXPECT_LT(used(), ledger::kTimelineEntries);
  for (uint32_t i = 2; i < used(); ++i) EXPECT_GT(entry(i).tick, entry(i - 1).tick);
}

}  // namespace
}  // namespace tenure::inproc
