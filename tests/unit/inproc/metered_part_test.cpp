// tests/unit/inproc/metered_part_test.cpp: what is metered whole is counted once, and by nobody else.
#include "inproc/accounting/metered_part.h"

#include <gtest/gtest.h>

namespace tenure::inproc {
namespace {

TEST(MeteredPart, PutsTheTurnOfTimedPathsOff) {
  ThreadCost& thread = g_thread.cost;
  thread = {};
  thread.until_timed = 7;
  {
    MeteredPart outer;
    EXPECT_EQ(thread.until_timed, INT32_MAX);
    thread.until_timed -= 5;  // slow paths inside
  }
  EXPECT_EQ(thread.until_timed, 7);
}

TEST(MeteredPart, CountsTheOutermostOnly) {
  ThreadCost& thread = g_thread.cost;
  thread = {};
  {
    MeteredPart outer;
    uint64_t began = thread.part_began_ns;
    {
      MeteredPart inner;
    }
    EXPECT_EQ(thread.parts, 0u);
    EXPECT_EQ(thread.part_began_ns, began);
  }
  EXPECT_EQ(thread.parts, 1u);
  EXPECT_EQ(thread.depth, 0u);
}

TEST(MeteredPart, SurvivesAForkInsideOfIt) {
  ThreadCost& thread = g_thread.cost;
  {
    MeteredPart part;
    thread = {};  // as a forked child begins
  }
  EXPECT_EQ(thread.depth, 0u);
  EXPECT_EQ(thread.parts, 0u);
}

}  // namespace
}  // namespace tenure::inproc
