// tests/unit/analyze/activity_test.cpp: how far a run has come at which tick: births and processor time, and no waiting.
#include "analyze/run/activity.h"

#include <gtest/gtest.h>

#include "run_builder.h"

namespace tenure::analyze {
namespace {

// Positions of the run that `record` holds, from its first birth on.
Activity activity_of(const tenure::record::Record& record) {
  return Activity(record.ledgers.at(0), 1);
}

TEST(Activity, BirthsAndProcessorTimeCountHalfEach) {
  RunBuilder run;
  run.run_by("/usr/bin/python3");
  for (int i = 0; i < 101; ++i) run.born(11, 4096);
  run.work(0.12);
  run.teardown();
  auto record = run.record();
  Activity activity = activity_of(record);
  EXPECT_NEAR(activity.position(1), 0, 0.01);
  EXPECT_NEAR(activity.position(51), 0.375, 0.01);
  EXPECT_NEAR(activity.position(101), 0.75, 0.01);
  EXPECT_EQ(activity.tick_at(0.375), 51u);
}

TEST(Activity, WaitingIsNoProgress) {
  RunBuilder run;
  for (int i = 0; i < 50; ++i) run.born(11, 4096);
  run.wait(100);
  run.work(4);  // now and then, in all that time
  for (int i = 0; i < 51; ++i) run.born(11, 4096);
  run.teardown();
  auto record = run.record();
  EXPECT_NEAR(activity_of(record).position(50), 0.5, 0.02);
}

TEST(Activity, WorkIsProgressThoughNothingIsMade) {
  RunBuilder run;
  for (int i = 0; i < 50; ++i) run.born(11, 4096);
  run.work(4);
  for (int i = 0; i < 51; ++i) run.born(11, 4096);
  run.teardown();
  auto record = run.record();
  EXPECT_NEAR(activity_of(record).position(50), 0.25, 0.02);
}

// The other processes of a busy machine kept it waiting, not the snapshot.
TEST(Activity, OnlyProcessorTimeOfAPauseIsTakenOff) {
  RunBuilder run;
  auto steps = [&run] {
    for (int i = 0; i < 50; ++i) {
      run.born(11, 4096);
      run.work(0.01);
    }
  };
  steps();
  run.pause(10, 0.25);
  steps();
  run.teardown();
  auto record = run.record();
  EXPECT_NEAR(activity_of(record).position(50), 0.5, 0.02);
}

TEST(Activity, TheEndOfAProgramIsNoWork) {
  RunBuilder run;
  run.run_by("/usr/bin/python3");
  for (int i = 0; i < 100; ++i) run.born(11, 4096);
  run.work(0.015);
  auto record = run.record();
  EXPECT_NEAR(activity_of(record).position(100), 1, 0.001);
}

TEST(Activity, ANativeProgramThatFreesNothingEndsAtOnce) {
  RunBuilder run;
  std::vector<RunBuilder::Block> kept;
  for (int i = 0; i < 10; ++i) kept.push_back(run.born(11, 400'000));
  run.work(0.0015);
  EXPECT_NEAR(activity_of(run.record()).position(10), 1, 0.001);
  run.work(0.0185);
  EXPECT_LT(activity_of(run.record()).position(10), 0.75);
}

TEST(Activity, WhatANativeProgramFreesAtItsEndIsNoWork) {
  RunBuilder run;
  std::vector<RunBuilder::Block> kept;
  for (int i = 0; i < 10; ++i) kept.push_back(run.born(11, 400'000));
  for (const auto& block : kept) {
    run.end(block);
    run.work(0.002);
  }
  EXPECT_GT(activity_of(run.record()).position(10), 0.85);
}

TEST(Activity, AProgramThatWasKilledEndsWithItsLastBirth) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) run.born(11, 4096);
  run.work(0);
  auto record = run.record();
  EXPECT_NEAR(activity_of(record).position(50), 0.5, 0.02);
}

}  // namespace
}  // namespace tenure::analyze
