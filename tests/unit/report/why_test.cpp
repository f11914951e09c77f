// tests/unit/report/why_test.cpp: considered lines in, `show --why` out.
#include "report/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/terminal.h"
#include "sample_findings.h"

namespace tenure::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<analyze::ConsideredLine> two_lines() {
  analyze::ConsideredLine leak;
  leak.place = {"/project/train.py", 42, "train", PlaceRole::made_at,
                "loss = criterion(model(x), y)"};
  leak.what = GrowthClass::leak;
  leak.rule = Rule::survivors;
  leak.holder = analyze::Holder{"global list `losses` of train.py (214 items)", {}, ""};
  leak.bytes = 214 * kMiB;
  leak.count = 214;
  leak.bytes_per_step = double(kMiB);
  leak.steps = 214;
  leak.per = "iteration of train.py:36";
  analyze::ConsideredLine loaded;
  loaded.place = {"/project/data.py", 7, "load", PlaceRole::made_at, ""};
  loaded.rule = Rule::few_late_steps;
  loaded.bytes = 3 * kMiB;
  loaded.count = 1;
  return {leak, loaded};
}

TEST(Why, EveryLineIsToldWithWhatItCameToAndTheRule) {
  const std::string text = why_table(two_lines(), {"", "/project", 100});
  EXPECT_THAT(text, HasSubstr("leak      train.py:42 in train()"));
  EXPECT_THAT(text, HasSubstr("loss = criterion(model(x), y)"));
  EXPECT_THAT(text, HasSubstr("214 MiB in 214 blocks, 1 MiB every iteration of train.py:36"));
  EXPECT_THAT(text, HasSubstr("kept by global list `losses` of train.py (214 items)"));
  EXPECT_THAT(text, HasSubstr("no growth data.py:7 in load()"));
  EXPECT_THAT(text, HasSubstr("too few steps of the later half of the run added to it"));
}

TEST(Why, OneLineCanBeAskedFor) {
  const std::string text = why_table(two_lines(), {"data.py:7", "/project", 100});
  EXPECT_THAT(text, HasSubstr("data.py:7"));
  EXPECT_THAT(text, Not(HasSubstr("train.py:42")));
  EXPECT_TRUE(has_line(two_lines(), "/project/train.py:42"));
  EXPECT_FALSE(has_line(two_lines(), "train.py:4"));
  EXPECT_FALSE(has_line(two_lines(), "rain.py:42")) << "a file's name is not cut";
  EXPECT_TRUE(has_line({}, "")) << "nothing was asked for";
}

TEST(Why, QuietFindingsBeyondThreeAreOneLine) {
  analyze::Findings findings = leaking_run();
  for (int i = 0; i < 5; ++i) {
    analyze::Finding quiet = autograd_leak();
    quiet.severity = Severity::warning;
    findings.findings.push_back(quiet);
  }
  const std::string text = terminal_report(findings, {});
  EXPECT_THAT(text, HasSubstr("  4  WARNING"));
  EXPECT_THAT(text, Not(HasSubstr("  5  WARNING")));
  EXPECT_THAT(text, HasSubstr("2 more: tenure show --why"));
}

TEST(Why, TheBalanceTellsWhatEachShareCameTo) {
  analyze::LineBalance balance;
  balance.at_peak = {
      100 << 20, {{GrowthClass::leak, 68 << 20}, {GrowthClass::dismissed, 30 << 20}}, 2 << 20, 0};
  EXPECT_EQ(balance_table({balance}, 100),
            "  balance   100 MiB at the peak: 68 MiB leak, 30 MiB no growth, 2 MiB in lines that "
            "held little\n");
}

}  // namespace
}  // namespace tenure::report
