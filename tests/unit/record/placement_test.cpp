// tests/unit/record/placement_test.cpp: placement.json there and back, and whatever else may lie in its place.
#include "record/placement.h"

#include <gtest/gtest.h>

namespace tenure::record {
namespace {

TEST(Placement, ComesBackAsItWasWritten) {
  const Placement placement =
      parse_placement_json(placement_json({"node7", "4711", {{"ledger.12", 3}}}));
  EXPECT_EQ(placement.host, "node7");
  EXPECT_EQ(placement.job, "4711");
  EXPECT_EQ(placement.rank_of("ledger.12"), 3);
  EXPECT_EQ(placement.rank_of("ledger.13"), kNoRank);
}

TEST(Placement, OfDamageNothingIsTaken) {
  for (const char* text :
       {"", "[]", "{", R"({"host": "a"})", R"({"schema": "tenure-placement/9", "host": "a"})"})
    EXPECT_EQ(parse_placement_json(text).host, "") << text;
}

TEST(Placement, ARankThatIsNoneIsLeftOut) {
  const Placement placement = parse_placement_json(
      R"({"schema": "tenure-placement/1", "host": 7, "ranks": {"a": -1, "b": "2", "c": 1e99, "d": 5}})");
  EXPECT_EQ(placement.host, "");
  EXPECT_EQ(placement.ranks.size(), 1u);
  EXPECT_EQ(placement.rank_of("d"), 5);
}

}  // namespace
}  // namespace tenure::record
