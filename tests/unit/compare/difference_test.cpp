// tests/unit/compare/difference_test.cpp: two runs in, what changed out.
#include "analyze/compare/difference.h"

#include <gtest/gtest.h>

#include "compared.h"

namespace tenure::analyze {
namespace {

Finding leak(double slope, int line = 4) {
  return leak_at("a.py", line, "work", "kept.append(x)", slope);
}

Change only_change(const Findings& before, const Findings& after) {
  const Difference difference = compare(before, after);
  EXPECT_EQ(difference.findings.size(), 1u);
  return difference.findings.empty() ? Change::same : difference.findings[0].change;
}

TEST(Difference, ALeakComesAndGoes) {
  EXPECT_EQ(only_change(run_with({leak(1e5)}), clean_run()), Change::gone);
  EXPECT_EQ(only_change(clean_run(), run_with({leak(1e5)})), Change::appeared);
  EXPECT_EQ(only_change(run_with({leak(1e5)}), run_with({leak(1e5, 90)})), Change::same);
  EXPECT_TRUE(compare(clean_run(), clean_run()).findings.empty());
}

TEST(Difference, ALittleMoreGrowthIsTheSame) {
  EXPECT_EQ(only_change(run_with({leak(100'000)}), run_with({leak(109'000)})), Change::same);
  EXPECT_EQ(only_change(run_with({leak(100'000)}), run_with({leak(112'000)})), Change::worse);
  EXPECT_EQ(only_change(run_with({leak(112'000)}), run_with({leak(100'000)})), Change::better);
}

TEST(Difference, NothingIsFixedInARunThatCannotTell) {
  EXPECT_EQ(only_change(run_with({leak(1e5)}), run_with({}, Verdict::unknown)), Change::unclear);
  Findings damaged = clean_run();
  damaged.losses[code(OtherLoss::unreadable)] = "ledger.8 is damaged";
  EXPECT_EQ(only_change(run_with({leak(1e5)}), damaged), Change::unclear);
}

TEST(Difference, ALeakThatIsANoteNowIsGone) {
  Finding note = leak(1e5);
  note.severity = Severity::note;
  const Difference difference = compare(run_with({leak(1e5)}), run_with({note}, Verdict::clean));
  ASSERT_EQ(difference.findings.size(), 1u);
  EXPECT_EQ(difference.findings[0].change, Change::gone);
  EXPECT_EQ(difference.findings[0].after, 0u);
}

TEST(Difference, WhatIsNewComesFirst) {
  const Finding other = leak_at("b.py", 1, "f", "other.append(x)");
  const Difference difference = compare(run_with({leak(1e5)}), run_with({other}));
  ASSERT_EQ(difference.findings.size(), 2u);
  EXPECT_EQ(difference.findings[0].change, Change::appeared);
  EXPECT_EQ(difference.findings[1].change, Change::gone);
}

Findings with_lines(std::vector<ConsideredLine> lines) {
  Findings run = clean_run();
  run.considered = std::move(lines);
  return run;
}

TEST(Difference, LittleMoreMemoryIsNoRow) {
  const auto rows = [](uint64_t was, uint64_t is) {
    return compare(with_lines({line_at("a.py", 4, "x = load()", was)}),
                   with_lines({line_at("a.py", 9, "x = load()", is)}))
        .lines.size();
  };
  EXPECT_EQ(rows(10 * kMiB, 10 * kMiB + (1 << 19)), 0u);  // below a tenth
  EXPECT_EQ(rows(10 * kMiB, 12 * kMiB), 1u);
  EXPECT_EQ(rows(1 << 10, 60 << 10), 0u);  // below 64 KiB
  EXPECT_EQ(rows(1 << 10, 70 << 10), 1u);
}

TEST(Difference, ALineOfSeveralProcessesIsOneLine) {
  const ConsideredLine line = line_at("a.py", 4, "x = load()", kMiB);
  const Difference difference = compare(with_lines({line}), with_lines({line, line, line}));
  ASSERT_EQ(difference.lines.size(), 1u);
  EXPECT_EQ(difference.lines[0].bytes_after(), 3 * kMiB);
}

}  // namespace
}  // namespace tenure::analyze
