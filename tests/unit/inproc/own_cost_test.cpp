// tests/unit/inproc/own_cost_test.cpp: what Tenure says of its own cost, and when the governor acts. Time is passed in.
#include "inproc/accounting/own_cost.h"

#include <gtest/gtest.h>

#include "inproc/accounting/gate.h"
#include "inproc/accounting/sampling.h"
#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kStart = 1'000'000'000'000;

class OwnCostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ledger_.format(memory_, [](void*, size_t) noexcept { return true; }));
    ledger_.header().started_mono_ns = kStart;
    g_exact_from.store(kExactThreshold, std::memory_order_relaxed);
    cost_.start(&ledger_, kStart);
  }
  void TearDown() override {
    g_exact_from.store(kGateShut, std::memory_order_relaxed);
    unmap_pages(memory_, ledger::reserved_bytes());
  }

  // A thread whose slow paths take `share_percent` of its time, from `from` on: timed paths that come every 100 us.
  void run(ThreadCost& thread, uint64_t from, uint64_t milliseconds, double share_percent) {
    constexpr uint64_t kEvery = 100'000;
    auto took =
        static_cast<uint64_t>(kEvery * share_percent / 100 / OwnCost::kTimedEvery) + clock_ns();
    for (uint64_t now = from; now < from + milliseconds * kMillisecond; now += kEvery)
      cost_.finish(thread, now - took, now);
  }

  // What finish() takes off for reading the clock: a path that took no longer costs nothing.
  uint64_t clock_ns() {
    for (uint64_t took = 0;; ++took) {
      uint64_t before = ledger_.header().hook_ns.load();
      ThreadCost nobody{};
      cost_.finish(nobody, kStart, kStart + took);
      uint64_t counted = ledger_.header().hook_ns.exchange(before) - before;
      if (counted != 0) return took - 1;
    }
  }

  size_t threshold() { return g_exact_from.load(std::memory_order_relaxed); }

  void* memory_ = map_pages(ledger::reserved_bytes());
  ledger::Writer ledger_;
  OwnCost cost_;
};

TEST_F(OwnCostTest, TimesOneSlowPathIn64AndNotAtFixedDistances) {
  ThreadCost thread{};
  EXPECT_EQ(cost_.begin(thread), 0u) << "the first one of a thread maps its memory";
  int timed = 0, same_as_before = 0, last_gap = 0;
  constexpr int kPaths = 640'000;
  for (int i = 0, gap = 0; i < kPaths; ++i) {
    ++gap;
    if (--thread.until_timed > 0) continue;
    EXPECT_NE(cost_.begin(thread), 0u);
    ++timed;
    same_as_before += gap == last_gap;
    last_gap = gap;
    gap = 0;
  }
  EXPECT_NEAR(timed, kPaths / 64, 250);  // five standard deviations
  EXPECT_LT(same_as_before, timed / 50);
}

TEST_F(OwnCostTest, EachTimedPathStandsFor64) {
  ThreadCost thread{};
  uint64_t clock = clock_ns();
  cost_.finish(thread, kStart, kStart + clock + 150);
  EXPECT_EQ(ledger_.header().hook_ns.load(), 150u * 64);
}

TEST_F(OwnCostTest, APathInterruptedByAnotherProcessCountsLittle) {
  const uint64_t later = kStart + 2 * OwnCost::kQuietNs;
  ThreadCost thread{};
  thread.window_started_ns = later;
  cost_.finish(thread, later, later + 4 * kMillisecond);
  EXPECT_EQ(ledger_.header().hook_ns.load(), kMillisecond / 10 * 64);
  EXPECT_EQ(thread.window_ns, OwnCost::kLongestNs * 64) << "the governor believes even less";
}

TEST_F(OwnCostTest, WhatCameBeforeTheLedgerIsBookedWithIt) {
  OwnCost early;
  early.add_part(300);
  early.start(&ledger_, kStart);
  early.add_part(40);
  EXPECT_EQ(ledger_.header().adapter_ns.load(), 340u);
  early.forget_ledger();
  early.add_part(5);
  EXPECT_EQ(ledger_.header().adapter_ns.load(), 340u) << "of a child that has no ledger yet";
}

TEST_F(OwnCostTest, AboveOnePercentTheThresholdDoublesUntilItHelps) {
  ThreadCost thread{};
  run(thread, kStart + OwnCost::kQuietNs, 250, 3);
  EXPECT_EQ(threshold(), 2u * kExactThreshold);
  run(thread, kStart + OwnCost::kQuietNs + 300 * kMillisecond, 310, 3);
  EXPECT_EQ(threshold(), 8u * kExactThreshold);
  EXPECT_EQ(ledger_.header().exact_threshold, 8u * kExactThreshold);
  run(thread, kStart + OwnCost::kQuietNs + 800 * kMillisecond, 2000, 0.5);
  EXPECT_EQ(threshold(), 8u * kExactThreshold);
}

TEST_F(OwnCostTest, FarAboveTheBudgetTheThresholdGoesInLargerSteps) {
  ThreadCost thread{};
  run(thread, kStart + OwnCost::kQuietNs, 250, 20);
  EXPECT_EQ(threshold(), 4u * kExactThreshold);
  run(thread, kStart + OwnCost::kQuietNs + 300 * kMillisecond, 250, 2);
  EXPECT_EQ(threshold(), 8u * kExactThreshold);
}

TEST_F(OwnCostTest, TheThresholdHasAnEnd) {
  ThreadCost thread{};
  run(thread, kStart + OwnCost::kQuietNs, 5000, 30);
  EXPECT_EQ(threshold(), OwnCost::kHighestThreshold);
}

TEST_F(OwnCostTest, StartUpIsNotJudged) {
  ThreadCost thread{};
  run(thread, kStart, OwnCost::kQuietNs / kMillisecond - 1, 10);
  EXPECT_EQ(threshold(), kExactThreshold);
}

TEST_F(OwnCostTest, BelowOnePercentNothingChanges) {
  ThreadCost thread{};
  run(thread, kStart + OwnCost::kQuietNs, 3000, 0.9);
  EXPECT_EQ(threshold(), kExactThreshold);
}

TEST_F(OwnCostTest, ThreadsAreJudgedEachByItsOwnTime) {
  ThreadCost threads[8] = {};
  for (uint64_t ms = 0; ms < 2000; ms += 10)
    for (ThreadCost& thread : threads)
      run(thread, kStart + OwnCost::kQuietNs + ms * kMillisecond, 10, 0.5);
  EXPECT_EQ(threshold(), kExactThreshold) << "4 % of one CPU, but half a percent of each thread";
}

TEST_F(OwnCostTest, MemoryIsWhatIsTouchedNotWhatIsReserved) {
  cost_.measure_memory();
  uint64_t before = ledger_.header().own_bytes.load();
  constexpr size_t kMapped = 64 << 20, kPages = 100;
  auto* pages = static_cast<char*>(map_pages(kMapped));
  for (size_t i = 0; i < kPages; ++i) pages[i * 8192] = 1;
  cost_.measure_memory();
  EXPECT_EQ(ledger_.header().own_bytes.load() - before, kPages * 4096);
  unmap_pages(pages, kMapped);
  cost_.measure_memory();
  EXPECT_EQ(ledger_.header().own_bytes.load(), before);
}

}  // namespace
}  // namespace tenure::inproc
