// tests/unit/analyze/made_since_test.cpp: what is told of a marked stretch, as of a cell: what was born in it and is alive.
#include "analyze/since/made_since.h"

#include <gtest/gtest.h>

#include "../retention/snapshot_builder.h"
#include "analyze/since/mark.h"
#include "analyze/since/rules.h"
#include "run_builder.h"

namespace tenure::analyze {
namespace {

constexpr uint64_t kMiB = 1 << 20;

std::optional<MadeSince> told(RunBuilder& run, const std::string& name = "In[3]") {
  const tenure::record::Record record = run.record();
  return made_since(record, name, 0);
}

TEST(MadeSince, OnlyWhatWasBornInTheStretchAndIsAliveCounts) {
  RunBuilder run;
  run.born(5, kMiB);
  run.begin_mark("In[3]");
  run.born(5, 2 * kMiB);
  run.make_and_end(6, 8 * kMiB);
  run.end_mark("In[3]", 10 * kMiB);
  run.born(5, 4 * kMiB);
  const auto since = told(run);
  ASSERT_TRUE(since);
  EXPECT_EQ(since->bytes, 2 * kMiB);
  EXPECT_EQ(since->count, 1u);
  EXPECT_EQ(since->peak_rise, 10 * kMiB);
  EXPECT_EQ(since->released_bytes, 0u);
  EXPECT_FALSE(since->is_estimated);
  ASSERT_EQ(since->lines.size(), 1u);
  EXPECT_EQ(since->lines[0].where[0].line, 5);
}

TEST(MadeSince, WhatItFreedOfEarlierBlocksIsTold) {
  RunBuilder run;
  const RunBuilder::Block old = run.born(5, 3 * kMiB);
  run.begin_mark("In[3]");
  run.born(5, kMiB);
  run.end(old);
  run.end_mark("In[3]", kMiB);
  const auto since = told(run);
  ASSERT_TRUE(since);
  EXPECT_EQ(since->bytes, kMiB);
  EXPECT_EQ(since->released_bytes, 3 * kMiB);
}

TEST(MadeSince, TheLastStretchOfANameIsMeant) {
  RunBuilder run;
  for (uint64_t size : {kMiB, 2 * kMiB}) {
    run.begin_mark("In[3]");
    run.born(5, size);
    run.end_mark("In[3]", size);
  }
  EXPECT_EQ(told(run)->bytes, 2 * kMiB);
}

TEST(MadeSince, AStretchThatHasNotEndedIsToldUpToNow) {
  RunBuilder run;
  run.born(5, kMiB);
  run.begin_mark("In[3]");
  run.born(6, kMiB);
  const auto since = told(run);
  ASSERT_TRUE(since);
  EXPECT_FALSE(since->has_ended);
  EXPECT_EQ(since->bytes, kMiB);
}

TEST(MadeSince, WithoutAMarkThereIsNothingToTell) {
  RunBuilder run;
  run.born(5, kMiB);
  EXPECT_FALSE(told(run));
  run.note("mark.In[3]", "begin");
  run.note("mark.In[3]", "end 1 2 3");
  EXPECT_FALSE(told(run)) << "a damaged mark is none";
}

TEST(MadeSince, WhoeverCallsTheSameLineHasARowOfItsOwn) {
  RunBuilder run;
  run.begin_mark("In[3]");
  for (uint32_t line : {40, 41}) {
    run.call_from(line);
    run.born(5, line * kMiB);
  }
  run.end_mark("In[3]", 0);
  const auto since = told(run);
  ASSERT_EQ(since->lines.size(), 2u);
  EXPECT_EQ(since->lines[0].where.front().line, 5);
  EXPECT_EQ(since->lines[0].where.back().line, 41);
  EXPECT_EQ(since->lines[1].where.back().line, 40);
}

TEST(MadeSince, BlocksThatStandForOthersAreAnEstimate) {
  RunBuilder run;
  run.begin_mark("In[3]");
  for (int i = 0; i < 40; ++i) run.born_as_sample(5, 200);
  run.end_mark("In[3]", 0);
  const auto since = told(run);
  EXPECT_TRUE(since->is_estimated);
  EXPECT_GT(since->bytes, kMiB);
}

TEST(MadeSince, ALineThatLeftLittleHasNoRow) {
  RunBuilder small;
  small.begin_mark("In[3]");
  small.born(5, kLeastOfLine - 1);
  small.born(6, kLeastOfLine);
  small.end_mark("In[3]", 0);
  auto since = told(small);
  ASSERT_EQ(since->lines.size(), 1u);
  EXPECT_EQ(since->lines[0].where[0].line, 6);
  EXPECT_EQ(since->other_lines, 1u);
  EXPECT_EQ(since->other_bytes, kLeastOfLine - 1);
  EXPECT_EQ(kLeastOfLine, 16u << 10);

  RunBuilder large;
  large.begin_mark("In[3]");
  large.born(5, 20 * kMiB);
  large.born(6, 150 << 10);
  large.born(7, 300 << 10);
  large.end_mark("In[3]", 0);
  since = told(large);
  EXPECT_EQ(since->lines.size(), 2u);
  EXPECT_EQ(since->other_bytes, 150u << 10);
}

TEST(MadeSince, OnlyTheLargestLinesHaveRows) {
  RunBuilder run;
  run.begin_mark("In[3]");
  for (uint32_t line = 1; line <= 15; ++line) run.born(line, kMiB + line * 1024);
  run.end_mark("In[3]", 0);
  const auto since = told(run);
  EXPECT_EQ(since->lines.size(), 12u);
  EXPECT_EQ(since->lines[0].where[0].line, 15);
  EXPECT_EQ(since->other_lines, 3u);
  EXPECT_EQ(since->bytes, 15 * kMiB + 120 * 1024);
}

// One block of 5 under each of the names, as large as these say.
MadeSince held_by_names(const std::vector<uint64_t>& sizes, bool is_seen_at_the_end) {
  RunBuilder run;
  SnapshotBuilder b;
  const uint32_t main = b.module("__main__");
  run.begin_mark("In[3]");
  for (size_t i = 0; i < sizes.size(); ++i) {
    const SiteId site = run.born(5, sizes[i]).site;
    b.edge(main, b.array(sizes[i], site.value), "['x" + std::to_string(i) + "']");
  }
  run.end_mark("In[3]", 0);
  b.set_tick(is_seen_at_the_end ? sizes.size() : sizes.size() - 1);
  tenure::record::Record record = run.record();
  record.snapshots[0].push_back(b.snapshot());
  return *made_since(record, "In[3]", 0);
}

TEST(MadeSince, EachHolderOfAGoodPartIsNamed) {
  const MadeSince since = held_by_names({4 * kMiB, 3 * kMiB, 2 * kMiB, kMiB, kMiB / 4}, true);
  EXPECT_TRUE(since.has_snapshot);
  ASSERT_EQ(since.lines.size(), 1u);
  ASSERT_EQ(since.lines[0].holders.size(), 3u);
  EXPECT_EQ(since.lines[0].holders[0].bytes, 4 * kMiB);
  EXPECT_EQ(since.lines[0].holders[2].bytes, 2 * kMiB);
  EXPECT_EQ(held_by_names({66 * kMiB, 26 * kMiB, 8 * kMiB}, true).lines[0].holders.size(), 2u);
  EXPECT_EQ(held_by_names({66 * kMiB, 23 * kMiB, 11 * kMiB}, true).lines[0].holders.size(), 3u);
}

TEST(MadeSince, ASnapshotFromBeforeTheEndSaysNothing) {
  const MadeSince since = held_by_names({4 * kMiB, 3 * kMiB}, false);
  EXPECT_FALSE(since.has_snapshot);
  EXPECT_TRUE(since.lines[0].holders.empty());
}

TEST(MadeSince, LinesOfACellHaveItsNumberAndItsText) {
  RunBuilder run;
  run.note("cell.train.py", "3\nimport numpy\n\n\n\nx = numpy.ones(9)");
  run.begin_mark("In[3]");
  run.born(5, kMiB);
  run.end_mark("In[3]", 0);
  const Place place = told(run)->lines[0].where[0];
  EXPECT_EQ(place.file, "In[3]");
  EXPECT_EQ(place.source, "x = numpy.ones(9)");
}

}  // namespace
}  // namespace tenure::analyze
