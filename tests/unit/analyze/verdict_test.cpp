// tests/unit/analyze/verdict_test.cpp: what processes came to in, one word out.
#include "analyze/balance/verdict.h"

#include <gtest/gtest.h>

#include "run_builder.h"

namespace tenure::analyze {
namespace {

Balance balance_of(void (*change)(Balance&)) {
  Balance balance;
  balance.steps = 100;
  change(balance);
  return balance;
}

TEST(Verdict, NothingThatSpeaksAgainstItIsClean) {
  EXPECT_EQ(decide(Balance{}).verdict, Verdict::clean);
}

TEST(Verdict, TheWorstIsTold) {
  EXPECT_EQ(decide(balance_of([](Balance& b) { b.has_leak = true; })).verdict, Verdict::leak);
  EXPECT_EQ(
      decide(balance_of([](Balance& b) { b.has_leak = b.has_lifetime_error = true; })).verdict,
      Verdict::lifetime_error);
  EXPECT_EQ(decide(balance_of([](Balance& b) {
              b.is_out_of_memory = b.has_lifetime_error = true;
            })).verdict,
            Verdict::out_of_memory);
  EXPECT_EQ(decide(balance_of([](Balance& b) {
              b.has_leak = true;
              b.heap_off = "no heap";
            })).verdict,
            Verdict::leak)
      << "what was seen is known";
}

TEST(Verdict, WhatWasNotSeenIsUnknownWithItsReason) {
  using Member = std::string Balance::*;
  for (Member reason : {&Balance::never_ran, &Balance::heap_off, &Balance::too_short,
                        &Balance::not_seen, &Balance::no_symbols}) {
    Balance balance;
    balance.steps = 100;
    balance.*reason = "why";
    EXPECT_EQ(decide(balance).verdict, Verdict::unknown);
    EXPECT_EQ(decide(balance).reason, "why");
  }
}

// A run of one process with so much resident memory, of which 10 MB are a block.
Findings with_resident(uint64_t bytes) {
  RunBuilder run;
  run.born(5, 10'000'000);
  tenure::record::Record record = run.record();
  record.outcome.processes[0].resident.peak = bytes;
  return judge(record, {});
}

TEST(Verdict, MemoryThatNobodySawIsUnknown) {
  constexpr uint64_t kMiB = 1 << 20;
  EXPECT_EQ(with_resident(10'000'000 + 63 * kMiB).verdict, Verdict::clean);
  EXPECT_EQ(with_resident(10'000'000 + 65 * kMiB).verdict, Verdict::unknown);
}

TEST(Verdict, ACutOffRunNeedsEightStepsToBeClean) {
  Balance balance;
  balance.cut_off = "killed";
  balance.steps = 7;
  EXPECT_EQ(decide(balance).verdict, Verdict::unknown);
  EXPECT_EQ(decide(balance).reason, "killed");
  balance.steps = 8;
  EXPECT_EQ(decide(balance).verdict, Verdict::clean);
}

}  // namespace
}  // namespace tenure::analyze
