// tests/unit/base/hash_test.cpp: the mixing behind all intern tables: every byte counts, and low bits are as good as high ones.
#include "base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

namespace tenure {
namespace {

TEST(Hash, EveryByteAndTheLengthCount) {
  std::set<uint64_t> seen;
  std::string text(40, 'a');
  seen.insert(hash_bytes(text.data(), text.size()));
  for (size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = 'b';
    seen.insert(hash_bytes(other.data(), other.size()));
    seen.insert(hash_bytes(text.data(), i));
  }
  EXPECT_EQ(seen.size(), 1 + 2 * text.size());
}

TEST(Hash, TrailingZerosAreNotTheirAbsence) {
  const char zeros[16] = {};
  EXPECT_NE(hash_bytes(zeros, 3), hash_bytes(zeros, 4));
  EXPECT_NE(hash_bytes(zeros, 8), hash_bytes(zeros, 16));
}

TEST(Hash, AlignedAddressesSpreadOverTheLowBits) {
  int counts[64] = {};
  for (uint64_t i = 0; i < 64000; ++i) ++counts[mix(0x7f0000000000 + i * 4096) % 64];
  for (int count : counts) EXPECT_NEAR(count, 1000, 200);
}

TEST(Hash, OneBitChangesHalfOfTheOthers) {
  int changed = 0;
  for (int bit = 0; bit < 64; ++bit)
    changed += std::popcount(mix(12345) ^ mix(12345 ^ 1ull << bit));
  EXPECT_NEAR(changed / 64.0, 32, 4);
}

TEST(Hash, TheOrderOfTwoMatters) { EXPECT_NE(mix(1, 2), mix(2, 1)); }

}  // namespace
}  // namespace tenure
