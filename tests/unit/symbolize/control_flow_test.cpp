// tests/unit/symbolize/control_flow_test.cpp: graphs of blocks drawn by hand.
#include "symbolize/control_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::symbolize {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<BasicBlock> graph(std::vector<std::vector<size_t>> successors) {
  std::vector<BasicBlock> blocks;
  for (size_t i = 0; i < successors.size(); ++i)
    blocks.push_back({{i * 16, i * 16 + 16}, i * 16 + 12, successors[i], true, false});
  return blocks;
}

TEST(ControlFlow, HasNoLoopsWithoutCycles) {
  EXPECT_THAT(find_loops({}), IsEmpty());
  EXPECT_THAT(find_loops(graph({{1, 2}, {3}, {3}, {}})), IsEmpty());
}

TEST(ControlFlow, JumpingBackFromUnlikelyCodeIsNoLoop) {
  EXPECT_THAT(find_loops(graph({{1, 3}, {2}, {}, {1}})),
              IsEmpty());  // 3 stands behind the function and returns to 1
}

TEST(ControlFlow, FindsABlockThatRepeatsItself) {
  const auto loops = find_loops(graph({{1}, {1, 2}, {}}));
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].header, 1u);
  EXPECT_THAT(loops[0].blocks, ElementsAre(1));
}

TEST(ControlFlow, EntersALoopAtItsTestEvenIfThatStandsLast) {
  const auto loops =
      find_loops(graph({{2}, {2}, {1, 3}, {}}));  // jump to the test 2, body 1 above it
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].header, 2u);
  EXPECT_THAT(loops[0].blocks, ElementsAre(1, 2));
}

TEST(ControlFlow, NestsLoops) {
  const auto loops = find_loops(graph({{1}, {2}, {2, 3}, {1, 4}, {}}));
  ASSERT_THAT(loops, SizeIs(2));
  EXPECT_THAT(loops[0].blocks, ElementsAre(1, 2, 3));
  EXPECT_EQ(loops[0].depth, 0);
  EXPECT_THAT(loops[1].blocks, ElementsAre(2));
  EXPECT_EQ(loops[1].depth, 1);
}

TEST(ControlFlow, TreatsSeveralWaysBackAsOneLoop) {
  const auto loops = find_loops(graph({{1}, {2, 3}, {1}, {1, 4}, {}}));  // `continue` in 2
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_THAT(loops[0].blocks, ElementsAre(1, 2, 3));
}

TEST(ControlFlow, KeepsALoopThatSeemsToBeEnteredInTheMiddle) {
  // 1 ends in a call that never returns; the disassembler thinks it goes on in 2, which belongs to the loop 3, 2.
  const auto loops = find_loops(graph({{1, 3}, {2}, {3}, {2, 4}, {}}));
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_THAT(loops[0].blocks, ElementsAre(2, 3));
}

TEST(ControlFlow, FollowsJumpTablesIntoBlocksThatNothingElseReaches) {
  auto blocks = graph({{1}, {}, {4}, {4}, {1, 5}, {}});
  blocks[1].ends_in_unknown_jump = true;
  const auto loops = find_loops(blocks);
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_THAT(loops[0].blocks, ElementsAre(1, 2, 3, 4));
}

TEST(ControlFlow, CountsHandlersThatGoOnInTheLoopAsPartOfIt) {
  const auto loops =
      find_loops(graph({{1}, {1, 2}, {}, {1}}));  // 3 is reached by an exception only
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].header, 1u);
  EXPECT_THAT(loops[0].blocks, ElementsAre(1, 3));
}

TEST(ControlFlow, StandsALongChain) {
  std::vector<std::vector<size_t>> chain(100000);
  for (size_t i = 0; i + 1 < chain.size(); ++i) chain[i] = {i + 1};
  chain.back() = {0};
  EXPECT_THAT(find_loops(graph(chain)), SizeIs(1));
}

}  // namespace
}  // namespace tenure::symbolize
