// tests/unit/compare/limits_test.cpp: runs and limits in, within, beyond or unknown out.
#include "analyze/compare/limits.h"

#include <gtest/gtest.h>

#include "compared.h"

namespace tenure::analyze {
namespace {

Finding small_leak() { return leak_at("a.py", 4, "work", "kept.append(x)"); }

CheckState state_of(const Findings& run, const Limits& limits) {
  return check(run, limits, {}).state;
}

TEST(Limits, NothingAskedForMeansNoLeakAndNoLifetimeError) {
  EXPECT_EQ(state_of(clean_run(), {}), CheckState::within);
  EXPECT_EQ(state_of(run_with({small_leak()}), {}), CheckState::beyond);
  EXPECT_EQ(state_of(run_with({error_at(3)}, Verdict::lifetime_error), {}), CheckState::beyond);
  EXPECT_EQ(state_of(run_with({}, Verdict::unknown), {}), CheckState::unknown);
}

struct Row {
  const char* what;
  Limits limits;
  CheckState state;
};

TEST(Limits, EachComparesItsOwnFigure) {
  const Row rows[] = {
      {"growth below", {.growth = 50'000}, CheckState::beyond},
      {"growth at it", {.growth = 100'000}, CheckState::within},
      {"piled up too much", {.accumulated = kMiB}, CheckState::beyond},
      {"piled up less", {.accumulated = 30 * kMiB}, CheckState::within},
      {"peak above", {.peak = 29 * kMiB}, CheckState::beyond},
      {"peak at it", {.peak = 30 * kMiB}, CheckState::within},
      {"only errors asked for", {.forbids_lifetime_errors = true}, CheckState::within},
  };
  for (const Row& row : rows)
    EXPECT_EQ(state_of(run_with({small_leak()}), row.limits), row.state) << row.what;
}

TEST(Limits, WhatNobodyAskedAboutIsTold) {
  const CheckResult result = check(run_with({small_leak()}), {.peak = 99 * kMiB}, {});
  EXPECT_EQ(result.not_asked, std::vector<size_t>{0});
}

TEST(Limits, ALeakWithoutStepsCountsAsAWhole) {
  Finding leak = small_leak();
  leak.bytes_per_step.reset();
  EXPECT_EQ(state_of(run_with({leak}), {.growth = 100'000}), CheckState::beyond);
}

TEST(Limits, ThePeakIsThatOfEachProcess) {
  Findings run = clean_run();
  run.balance.push_back(run.balance.front());
  run.balance.back().pid = 8;
  run.balance.back().at_peak.total = 50 * kMiB;
  const CheckResult result = check(run, {.peak = 40 * kMiB}, {});
  ASSERT_EQ(result.excesses.size(), 1u);
  EXPECT_EQ(result.excesses[0].pid, 8);
}

TEST(Limits, AProgramThatRanOutOfMemoryIsBeyondAnyLimit) {
  EXPECT_EQ(state_of(run_with({}, Verdict::out_of_memory), {.peak = 99 * kMiB}),
            CheckState::beyond);
}

TEST(Limits, BeyondIsKnownEvenWhereTheRestIsNot) {
  EXPECT_EQ(state_of(run_with({}, Verdict::unknown), {.peak = kMiB}), CheckState::beyond);
}

TEST(Limits, APartThatCannotBeReadLeavesItUnknown) {
  Findings run = clean_run();
  run.losses[code(OtherLoss::unreadable)] = "ledger.8 is damaged";
  EXPECT_EQ(state_of(run, {}), CheckState::unknown);
}

TEST(Limits, WarningsAndNotesAreNoLeak) {
  Finding finding = small_leak();
  finding.severity = Severity::warning;
  EXPECT_EQ(state_of(run_with({finding}, Verdict::clean), {}), CheckState::within);
  EXPECT_EQ(state_of(run_with({finding}, Verdict::clean), {.accumulated = kMiB}),
            CheckState::beyond);
}

}  // namespace
}  // namespace tenure::analyze
