// tests/unit/accounting/series_test.cpp: steps against ticks: marks thin themselves out and always span the run.
#include <gtest/gtest.h>

#include "inproc/stacks/series_table.h"

namespace tenure::inproc {
namespace {

using ledger::kMarks;
using ledger::Series;

void expect_spans(const Series& series, uint64_t last_count) {
  ASSERT_GE(series.marks_used, kMarks / 4);
  ASSERT_LE(series.marks_used, kMarks);
  for (uint32_t i = 1; i < series.marks_used; ++i) {
    EXPECT_GT(series.marks[i].count, series.marks[i - 1].count);
    EXPECT_GE(series.marks[i].tick, series.marks[i - 1].tick);
    EXPECT_GE(series.marks[i].count - series.marks[i - 1].count, series.stride);
  }
  EXPECT_LE(series.marks[0].count, last_count / 8 + series.stride);
  EXPECT_GE(series.marks[series.marks_used - 1].count + 2 * series.stride, last_count);
}

TEST(SeriesMarks, EachStepIsMarkedWhileThereIsRoom) {
  Series series{};
  for (uint64_t i = 1; i <= kMarks; ++i) add_mark(series, i * 10, i);
  EXPECT_EQ(series.marks_used, kMarks);
  EXPECT_EQ(series.marks[5].count, 6u);
  EXPECT_EQ(series.marks[5].tick, 60u);
}

TEST(SeriesMarks, SpanTheRunHoweverLongItGets) {
  Series series{};
  for (uint64_t i = 1; i <= 1000000; ++i) {
    add_mark(series, i * 3, i);
    if (i > kMarks && i % 99991 == 0) expect_spans(series, i);
  }
  expect_spans(series, 1000000);
}

TEST(SeriesMarks, SpanTheRunAlsoWhenCountsJump) {
  Series series{};
  uint64_t count = 0;
  for (uint64_t i = 1; i <= 5000; ++i) {
    count += 1 + i % 50;
    add_mark(series, i, count);
  }
  expect_spans(series, count);
}

}  // namespace
}  // namespace tenure::inproc
