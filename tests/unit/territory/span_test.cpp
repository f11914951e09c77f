// tests/unit/territory/span_test.cpp: where a block lies in its span.
#include "inproc/territory/span.h"

#include <gtest/gtest.h>

#include <set>

namespace tenure::inproc {
namespace {

constexpr size_t kSizes[] = {128 << 10, 131071, 131073, 200000, 1 << 20, (1 << 20) - 80, 64 << 20};
constexpr size_t kAlignments[] = {8, 16, 32, 64, 128, 256, 1024, 2048, 4096};

TEST(Span, ABlockAndItsHeadsFitWhateverTheColour) {
  for (size_t n : kSizes) {
    for (size_t alignment : kAlignments) {
      for (uint32_t turn = 0; turn < 200; ++turn) {
        size_t span = span_bytes(n, alignment);
        size_t offset = coloured_offset(n, alignment, span, turn);
        ASSERT_GE(offset, sizeof(Span) + sizeof(BlockHead));
        ASSERT_LE(offset + usable_bytes(n), span);
        ASSERT_LT(offset, 3 * kSpanPage);
        ASSERT_EQ(offset % alignment, 0u);
      }
    }
  }
}

// jax.device_put shares an array's memory when it lies at a multiple of 64, and copies it otherwise.
TEST(Span, ABlockOfMallocLiesAsInGlibc) {
  for (size_t n : kSizes) {
    for (uint32_t turn = 0; turn < 200; ++turn)
      ASSERT_EQ(coloured_offset(n, 16, span_bytes(n, 16), turn) % 64, 16u);
  }
}

TEST(Span, BlocksOfAPowerOfTwoAreSpreadOverThePage) {
  std::set<size_t> offsets;
  for (uint32_t turn = 0; turn < 64; ++turn)
    offsets.insert(coloured_offset(1 << 20, 16, span_bytes(1 << 20, 16), turn) % kSpanPage);
  EXPECT_GT(offsets.size(), 30u);
}

TEST(Span, TakesOnePageMoreThanAPowerOfTwo) {
  EXPECT_EQ(span_bytes(1 << 20, 16), (1u << 20) + kSpanPage);
  EXPECT_EQ(span_bytes(1 << 20, 64), (1u << 20) + kSpanPage);
}

TEST(Span, RareAlignmentsAreLeftToLibc) { EXPECT_EQ(first_offset(8192), 0u); }

}  // namespace
}  // namespace tenure::inproc
