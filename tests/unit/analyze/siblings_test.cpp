// tests/unit/analyze/siblings_test.cpp: a line that leaks in one process is the same leak in those that ran it too rarely.
#include "analyze/growth/siblings.h"

#include <gtest/gtest.h>

namespace tenure::analyze {
namespace {

Judgement line(GrowthClass what, Rule rule, uint64_t steps, const std::string& function = "serve") {
  Judgement j;
  j.growth.what = what;
  j.growth.rule = rule;
  j.growth.line = {"app.py", function, 12};
  j.growth.sites = {SiteId{1}};
  j.growth.bytes = 1000 * steps;
  j.growth.steps = steps;
  return j;
}

GrowthJudgements process(Judgement judgement) {
  GrowthJudgements judged;
  judged.lines.push_back(std::move(judgement));
  return judged;
}

Growth beside_a_leak(Judgement judgement) {
  GrowthJudgements leaking = process(line(GrowthClass::leak, Rule::survivors, 50));
  GrowthJudgements other = process(std::move(judgement));
  join_siblings({&leaking, &other});
  EXPECT_EQ(leaking.lines[0].growth.rule, Rule::survivors);
  return other.lines[0].growth;
}

TEST(Siblings, AWorkerThatWasAskedTooRarelyLeaksAsTheOtherDoes) {
  for (Rule rule :
       {Rule::too_little, Rule::few_late_steps, Rule::too_few_steps, Rule::few_samples}) {
    Growth growth = beside_a_leak(line(GrowthClass::dismissed, rule, 10));
    EXPECT_EQ(growth.what, GrowthClass::leak);
    EXPECT_EQ(growth.rule, Rule::leaks_elsewhere);
    EXPECT_EQ(growth.bytes_per_step, 1000);
  }
}

TEST(Siblings, WhatSpokeAgainstALeakStands) {
  for (Rule rule : {Rule::gone, Rule::only_newest, Rule::released_before, Rule::slows_down,
                    Rule::nothing_added, Rule::bounded_holder, Rule::below_exit}) {
    Growth growth = beside_a_leak(line(GrowthClass::dismissed, rule, 10));
    EXPECT_EQ(growth.rule, rule);
    EXPECT_EQ(growth.what, GrowthClass::dismissed);
  }
}

// Each round of it makes a block and gives up the one before: the last is there at its end.
TEST(Siblings, AWorkerThatGivesUpMostOfWhatItHeldDoesNotLeak) {
  Judgement held = line(GrowthClass::dismissed, Rule::too_little, 2);
  held.growth.most_bytes = 4001;
  EXPECT_EQ(beside_a_leak(held).what, GrowthClass::dismissed);
  held.growth.most_bytes = 4000;
  EXPECT_EQ(beside_a_leak(held).what, GrowthClass::leak);
}

TEST(Siblings, AnotherFunctionIsAnotherLine) {
  Growth growth = beside_a_leak(line(GrowthClass::dismissed, Rule::few_late_steps, 10, "health"));
  EXPECT_EQ(growth.what, GrowthClass::dismissed);
}

TEST(Siblings, OneProcessAloneIsJudgedByItself) {
  GrowthJudgements alone = process(line(GrowthClass::leak, Rule::survivors, 50));
  alone.lines.push_back(line(GrowthClass::dismissed, Rule::few_late_steps, 10));
  join_siblings({&alone});
  EXPECT_EQ(alone.lines[1].growth.what, GrowthClass::dismissed);
}

}  // namespace
}  // namespace tenure::analyze
