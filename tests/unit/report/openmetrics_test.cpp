// tests/unit/report/openmetrics_test.cpp: a running program as metrics.
#include "report/formats/openmetrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

LiveState state() {
  LiveState state;
  state.findings.program.arguments = {"python", "train.py"};
  state.findings.program.is_running = true;
  state.findings.steps = 12;
  state.processes = {{7, 300, 500, 20, 1}, {8, 200, 400, 10, record::kNoRank}};
  analyze::Finding leak;
  leak.severity = Severity::leak;
  state.findings.findings = {leak};
  return state;
}

LiveLine line(int number, double per_step, uint64_t live) {
  LiveLine line;
  line.line.place = {"/p/train.py", number, "f", PlaceRole::made_at, ""};
  line.line.what = GrowthClass::leak;
  line.line.bytes_per_step = per_step;
  line.live_bytes = live;
  return line;
}

TEST(OpenMetrics, HasEachProcessWithItsRankWhereItHasOne) {
  const std::string text = openmetrics(state(), 0);
  EXPECT_THAT(text,
              HasSubstr("tenure_live_bytes{program=\"train.py\",pid=\"7\",rank=\"1\"} 300\n"));
  EXPECT_THAT(text, HasSubstr("tenure_own_bytes{program=\"train.py\",pid=\"8\"} 10\n"));
  EXPECT_THAT(text, EndsWith("# EOF\n"));
}

TEST(OpenMetrics, CountsFindingsAlsoWhereThereAreNone) {
  const std::string text = openmetrics(state(), 0);
  EXPECT_THAT(text, HasSubstr("severity=\"leak\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("severity=\"error\"} 0\n"));
}

TEST(OpenMetrics, TellsLinesThatGrowAndNoMoreThanThese) {
  LiveState many = state();
  many.directory = "/p";
  many.lines.push_back(line(1, 0, 1'000'000));
  for (int i = 0; i < 30; ++i) many.lines.push_back(line(100 + i, 5, static_cast<uint64_t>(i)));
  const std::string text = openmetrics(many, 0);
  EXPECT_THAT(text, Not(HasSubstr("train.py:1\"")));
  EXPECT_THAT(text, HasSubstr("place=\"train.py:129\",function=\"f\",came_to=\"leak\"} 29\n"));
  EXPECT_THAT(text, Not(HasSubstr("train.py:109\"")));
}

TEST(OpenMetrics, EscapesWhatALabelMayNotHave) {
  LiveState odd = state();
  odd.lines = {line(3, 5, 1)};
  odd.lines[0].line.place.function = "f\"\\\n";
  EXPECT_THAT(openmetrics(odd, 0), HasSubstr(R"(function="f\"\\\n")"));
}

TEST(OpenMetrics, CountsWhatTenureTookWithWhatTheWriterTook) {
  LiveState costly = state();
  costly.cost_so_far.hooks = 1.5;
  EXPECT_THAT(openmetrics(costly, 0.25),
              HasSubstr("tenure_own_processor_seconds_total{program=\"train.py\"} 1.75\n"));
}

}  // namespace
}  // namespace tenure::report
