// tests/unit/report/sparkline_test.cpp: figures over time in, one row of characters out.
#include "report/sparkline.h"

#include <gtest/gtest.h>

#include "report/text.h"

namespace tenure::report {
namespace {

TEST(Sparkline, RisesFromNothingToTheMost) {
  EXPECT_EQ(sparkline({{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}}, 8),
            "▁▂▃▄▅▆▇█");
}

TEST(Sparkline, GoesOnWithTheLastFigureWhereNobodyLooked) {
  EXPECT_EQ(sparkline({{0, 8}, {10, 4}}, 5), "████▅");
}

TEST(Sparkline, ShowsAShortPeakInAWideColumn) {
  EXPECT_EQ(sparkline({{0, 1}, {1, 100}, {2, 1}, {10, 1}}, 2), "█▁");
}

TEST(Sparkline, HasTheWidthAskedFor) {
  for (int width : {1, 7, 80, 200}) EXPECT_EQ(width_of(sparkline({{0, 1}, {3, 9}}, width)), width);
}

TEST(Sparkline, IsNothingWithoutMomentsBytesOrRoom) {
  EXPECT_EQ(sparkline({}, 10), "");
  EXPECT_EQ(sparkline({{0, 0}, {1, 0}}, 10), "");
  EXPECT_EQ(sparkline({{0, 1}}, 0), "");
}

}  // namespace
}  // namespace tenure::report
