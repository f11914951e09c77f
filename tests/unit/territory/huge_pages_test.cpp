// tests/unit/territory/huge_pages_test.cpp: when a span gets huge pages, by invented times.
#include "inproc/territory/huge_pages.h"

#include <gtest/gtest.h>

namespace tenure::inproc {
namespace {

constexpr size_t kMiB = 1 << 20;
constexpr uint64_t kCheap = HugePages::kDearNs / 5, kDear = HugePages::kDearNs * 4;
constexpr uint64_t kNow = 50'000'000'000;

TEST(HugePagesTest, LargeSpansGetThemUpToTwiceWhatWentWell) {
  HugePages huge;
  EXPECT_FALSE(huge.are_wanted(HugePages::kFrom - 1, kNow));
  EXPECT_TRUE(huge.are_wanted(HugePages::kFrom, kNow));
  EXPECT_FALSE(huge.are_wanted(128 * kMiB, kNow));
  EXPECT_TRUE(huge.took(64 * kMiB, kCheap, kNow));
  EXPECT_TRUE(huge.are_wanted(128 * kMiB, kNow));
  EXPECT_TRUE(huge.took(8 * kMiB, kCheap, kNow));  // says nothing against it
  EXPECT_TRUE(huge.are_wanted(128 * kMiB, kNow));
  EXPECT_FALSE(huge.are_wanted(256 * kMiB, kNow));
}

TEST(HugePagesTest, WhereTheyAreDearThereAreNoneForAWhile) {
  HugePages huge;
  EXPECT_TRUE(huge.took(64 * kMiB, kCheap, kNow));
  EXPECT_FALSE(huge.took(8 * kMiB, kDear, kNow));
  EXPECT_FALSE(huge.are_wanted(8 * kMiB, kNow + HugePages::kFirstPauseNs - 1));
  EXPECT_TRUE(huge.are_wanted(8 * kMiB, kNow + HugePages::kFirstPauseNs));
  EXPECT_FALSE(huge.are_wanted(128 * kMiB, kNow + HugePages::kFirstPauseNs));
}

TEST(HugePagesTest, EachPauseIsTwiceAsLongUntilTheyAreCheap) {
  HugePages huge;
  uint64_t now = kNow, pause = HugePages::kFirstPauseNs;
  for (int i = 0; i < 10; ++i) {
    huge.took(8 * kMiB, kDear, now);
    EXPECT_FALSE(huge.are_wanted(8 * kMiB, now + pause - 1)) << i;
    EXPECT_TRUE(huge.are_wanted(8 * kMiB, now + pause)) << i;
    now += pause;
    if (pause < HugePages::kLongestPauseNs) pause *= 2;
  }
  huge.took(8 * kMiB, kCheap, now);
  huge.took(8 * kMiB, kDear, now);
  EXPECT_TRUE(huge.are_wanted(8 * kMiB, now + HugePages::kFirstPauseNs));
}

}  // namespace
}  // namespace tenure::inproc
