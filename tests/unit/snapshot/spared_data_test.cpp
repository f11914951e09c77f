// What is taken for plain data, and what might be references.
#include <gtest/gtest.h>
#include <string.h>

#include "inproc/snapshot/spared_data.h"

namespace tenure::inproc {
namespace {

TEST(SparedData, NumbersAreNoAddresses) {
  double numbers[4] = {1.0, -2.5, 1e300, 3e-8};
  uint64_t words[8] = {0, 1, 255, ~0ull};
  memcpy(words + 4, numbers, sizeof numbers);
  EXPECT_FALSE(may_hold_addresses(words, 8));
}

TEST(SparedData, TwoWordsThatCouldBeAddressesAreEnough) {
  int a, b;
  uint64_t words[8] = {0, reinterpret_cast<uint64_t>(&a) & ~7ull, 0, 5,
                       0, reinterpret_cast<uint64_t>(&b) & ~7ull, 7, 0};
  EXPECT_TRUE(may_hold_addresses(words, 8));
  EXPECT_FALSE(may_hold_addresses(words, 5));
}

}  // namespace
}  // namespace tenure::inproc
