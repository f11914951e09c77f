// tests/unit/compare/baseline_test.cpp: what a baseline accepts.
#include "analyze/compare/baseline.h"

#include <gtest/gtest.h>

#include "analyze/compare/limits.h"
#include "compared.h"

namespace tenure::analyze {
namespace {

Finding leak(double slope, int line = 4) {
  return leak_at("a.py", line, "work", "kept.append(x)", slope);
}

Baseline baseline_of(const Findings& run) {
  Baseline baseline;
  add_to_baseline(run, baseline);
  return baseline;
}

TEST(Baseline, AcceptsUpToItsTolerance) {
  const Baseline baseline = baseline_of(run_with({leak(100'000)}));
  EXPECT_EQ(check(run_with({leak(109'000, 80)}), {}, baseline).state, CheckState::within);
  const CheckResult grown = check(run_with({leak(111'000)}), {}, baseline);
  EXPECT_EQ(grown.state, CheckState::beyond);
  EXPECT_TRUE(grown.excesses[0].has_outgrown);
  EXPECT_DOUBLE_EQ(grown.excesses[0].most, 110'000);
}

TEST(Baseline, AcceptsItsOwnLineOnly) {
  const Baseline baseline = baseline_of(run_with({leak(100'000)}));
  const Finding other = leak_at("a.py", 4, "work", "other.append(x)");
  const CheckResult result = check(run_with({leak(100'000), other}), {}, baseline);
  ASSERT_EQ(result.excesses.size(), 1u);
  EXPECT_EQ(result.excesses[0].finding, 1u);
  EXPECT_EQ(result.accepted, std::vector<size_t>{0});
}

TEST(Baseline, AcceptsLifetimeErrors) {
  const Findings run = run_with({error_at(3)}, Verdict::lifetime_error);
  EXPECT_EQ(check(run_with({error_at(50)}, Verdict::lifetime_error), {}, baseline_of(run)).state,
            CheckState::within);
}

TEST(Baseline, OfSeveralRunsHasTheLargestFigures) {
  Baseline baseline = baseline_of(run_with({leak(100'000)}));
  add_to_baseline(run_with({leak(300'000)}), baseline);
  add_to_baseline(run_with({leak(200'000)}), baseline);
  ASSERT_EQ(baseline.entries.size(), 1u);
  EXPECT_DOUBLE_EQ(baseline.entries[0].bytes_per_step, 300'000);
}

TEST(Baseline, EntriesThatARunShowedAreMet) {
  Baseline baseline = baseline_of(run_with({leak(100'000), error_at(3)}));
  EXPECT_EQ(check(run_with({leak(1'000)}), {}, baseline).met, std::vector<size_t>{0});
}

}  // namespace
}  // namespace tenure::analyze
