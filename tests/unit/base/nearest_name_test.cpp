// base/nearest_name: a mistyped name is told the one that was meant, and a foreign one is told none.
#include "base/nearest_name.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

const std::vector<std::string> kNames = {"observe", "quiet", "steps", "no-source"};

TEST(NearestName, DistanceCountsLettersPutInLeftOutChangedAndSwapped) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abxc"), 1u);
  EXPECT_EQ(edit_distance("abc", "ac"), 1u);
  EXPECT_EQ(edit_distance("abc", "axc"), 1u);
  EXPECT_EQ(edit_distance("abc", "acb"), 1u);
  EXPECT_EQ(edit_distance("observe", "steps"), edit_distance("steps", "observe"));
}

TEST(NearestName, MistypedNameIsTold) {
  EXPECT_EQ(nearest_name("obsreve", kNames), "observe");
  EXPECT_EQ(nearest_name("step", kNames), "steps");
  EXPECT_EQ(nearest_name("no_source", kNames), "no-source");
  EXPECT_EQ(did_you_mean("queit", kNames), "; did you mean `quiet`?");
}

TEST(NearestName, ForeignNameIsToldNone) {
  EXPECT_EQ(nearest_name("colour", kNames), "");
  EXPECT_EQ(did_you_mean("x", kNames), "");
}

}  // namespace
}  // namespace tenure
