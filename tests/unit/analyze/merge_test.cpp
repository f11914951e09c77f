// tests/unit/analyze/merge_test.cpp: one cause is told once: in a process, and in several of them.
#include "analyze/findings/merge.h"

#include <gtest/gtest.h>

#include "analyze/findings/growth_findings.h"

namespace tenure::analyze {
namespace {

Finding growth(int line, uint64_t bytes, Severity severity = Severity::leak) {
  Finding f;
  f.kind = Kind::retained_python;
  f.severity = severity;
  f.why = "they pile up";
  f.where.push_back({"work.py", line, "work", PlaceRole::made_at, ""});
  f.bytes = bytes;
  f.count = 10;
  f.bytes_per_step = 100;
  return f;
}

constexpr Lifetime kWhole{1, 100};

TEST(JoinedProcesses, WhatWorkersHeldThatWereReplacedWentWithThem) {
  JoinedProcesses all;
  all.add({growth(7, 1000)}, {1, 10}, 0);
  all.add({growth(7, 700)}, {5, 20}, 0);
  all.add({growth(7, 900)}, {15, 30}, 0);
  all.add({growth(7, 500)}, {40, 50}, 0);
  std::vector<Finding> found = all.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bytes, 1700u);
  EXPECT_EQ(found[0].count, 20u);
}

TEST(JoinedProcesses, TheSameLineInTwoProcessesIsOneFinding) {
  JoinedProcesses all;
  all.add({growth(7, 1000)}, kWhole, 70);
  all.add({growth(7, 500)}, kWhole, 71);
  std::vector<Finding> found = all.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bytes, 1500u);
  EXPECT_EQ(found[0].count, 20u);
  EXPECT_EQ(found[0].title, growth_title(100, 1500));
  EXPECT_EQ(found[0].pids, (std::vector<int>{70, 71}));
}

TEST(JoinedProcesses, TwoFindingsOfOneProcessStayTwo) {
  JoinedProcesses all;
  all.add({growth(7, 1000), growth(7, 500)}, kWhole, 0);
  EXPECT_EQ(all.take().size(), 2u);
}

TEST(JoinedProcesses, AnotherLineIsAnotherFinding) {
  JoinedProcesses all;
  all.add({growth(7, 1000)}, kWhole, 0);
  all.add({growth(8, 1000)}, kWhole, 0);
  EXPECT_EQ(all.take().size(), 2u);
}

TEST(JoinedProcesses, TheSurerOneTellsTheStory) {
  JoinedProcesses all;
  all.add({growth(7, 1000, Severity::warning)}, kWhole, 0);
  Finding sure = growth(7, 500);
  sure.holder = Holder{"global list `seen`", {}};
  all.add({sure}, kWhole, 0);
  std::vector<Finding> found = all.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::leak);
  EXPECT_EQ(found[0].holder->text, "global list `seen`");
  EXPECT_EQ(found[0].bytes, 1500u);
}

TEST(JoinedProcesses, TheProcessThatShowsItsHolderGivesTheKind) {
  JoinedProcesses all;
  Finding nobodys = growth(7, 1000);
  nobodys.kind = Kind::native_growth;
  nobodys.holder = Holder{"native memory", {}, ""};
  Finding held = growth(7, 500);
  held.holder = Holder{"global list `seen`", {}, ""};
  all.add({nobodys}, kWhole, 0);
  all.add({held}, kWhole, 0);
  std::vector<Finding> found = all.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::retained_python);
  EXPECT_EQ(found[0].holder->text, "global list `seen`");
  EXPECT_EQ(found[0].bytes, 1500u);
}

TEST(JoinedProcesses, AnErrorIsNotJoinedToGrowth) {
  JoinedProcesses all;
  Finding error = growth(7, 0, Severity::error);
  error.error = ErrorText{"ValueError", "closed"};
  all.add({growth(7, 1000)}, kWhole, 0);
  all.add({error}, kWhole, 0);
  EXPECT_EQ(all.take().size(), 2u);
}

// ---- growths of one process

Judgement judgement(const std::string& function, uint64_t count, const std::string& holder = "",
                    GrowthClass what = GrowthClass::leak) {
  Judgement j;
  j.growth.what = what;
  j.growth.line = {"work.py", function, 3};
  j.growth.sites = {SiteId{1}};
  j.growth.bytes = 1000 * count;
  j.growth.count = count;
  j.growth.births = 200;
  j.growth.bytes_per_step = 1000;
  j.growth.per = "step";
  if (holder.empty()) return j;
  j.held.emplace();
  j.held->holder.text = j.held->key = holder;
  j.held->is_most = true;
  return j;
}

TEST(MergedGrowths, OneHolderIsOneCauseWhateverLineFillsIt) {
  auto merged = merge_growths({judgement("load", 90, "log"), judgement("store", 40, "log")});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].growth.bytes, 130'000u);
  EXPECT_EQ(merged[0].growth.bytes_per_step, 2000);
  EXPECT_EQ(merge_growths({judgement("load", 90, "log"), judgement("store", 40, "rows")}).size(),
            2u);
}

// Parameters are in `param_groups` and, as keys, in `state`: what `state` has beside them goes with them.
TEST(MergedGrowths, WhatOneOfTheContainersHoldsThatHaveToLetGoIsOneCauseWithTheRest) {
  Judgement parameters = judgement("build", 90, "Adam");
  parameters.held->at_once = {"Adam.param_groups", "Adam.state"};
  struct Row {
    const char* holder;
    size_t findings;
  };
  for (const Row& row : {Row{"Adam.state", 1}, Row{"Adam.param_groups", 1}, Row{"Log.rows", 2}}) {
    EXPECT_EQ(merge_growths({parameters, judgement("step", 40, row.holder)}).size(), row.findings)
        << row.holder;
    EXPECT_EQ(merge_growths({judgement("step", 140, row.holder), parameters}).size(), row.findings)
        << row.holder;
  }
}

TEST(MergedGrowths, WhatIsCountedInAnotherUnitIsToldInStepsOfTheFirst) {
  Judgement other = judgement("store", 40, "log");
  other.growth.per = run_of("work.py", 9);
  auto merged = merge_growths({judgement("load", 90, "log"), other});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_NEAR(merged[0].growth.bytes_per_step, 130'000 / 90.0, 0.01);
}

TEST(MergedGrowths, WhatIsSureOfOneIsSureOfBoth) {
  auto merged = merge_growths(
      {judgement("load", 90, "log", GrowthClass::suspected), judgement("store", 40, "log")});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].growth.what, GrowthClass::leak);
}

TEST(MergedGrowths, BlocksOfOneFunctionThatLiveAndDieTogetherAreOneCause) {
  EXPECT_EQ(merge_growths({judgement("load", 90), judgement("load", 91)}).size(), 1u);
  EXPECT_EQ(merge_growths({judgement("load", 90), judgement("load", 40)}).size(), 2u);
  EXPECT_EQ(merge_growths({judgement("load", 90), judgement("store", 90)}).size(), 2u);
}

TEST(MergedGrowths, DismissedLinesAreLeftOut) {
  EXPECT_TRUE(merge_growths({judgement("load", 90, "", GrowthClass::dismissed)}).empty());
}

}  // namespace
}  // namespace tenure::analyze
