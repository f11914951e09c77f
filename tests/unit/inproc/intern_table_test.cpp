// tests/unit/inproc/intern_table_test.cpp: ids by content, in a table that grows while others read it.
#include "inproc/stacks/intern_table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/hash.h"

namespace tenure::inproc {
namespace {

constexpr uint32_t kMany = 100'000;

// Records are numbers; an id is a position in `records`.
struct Numbers {
  Numbers() : records(4 * kMany) { EXPECT_TRUE(table.start()); }

  uint32_t intern(uint64_t number, uint64_t hash) {
    return table.find_or_add(
        hash, [&](uint32_t id) { return records[id].load() == number; },
        [&]() -> uint32_t {
          if (used == full) return 0;
          records[++used].store(number);
          return used;
        });
  }
  uint32_t intern(uint64_t number) { return intern(number, mix(number, 7)); }

  InternTable table;
  std::vector<std::atomic<uint64_t>> records;
  uint32_t used = 0, full = ~0u;
};

TEST(InternTable, FindsAllThatItHoldsAfterItHasGrown) {
  Numbers numbers;
  for (uint32_t i = 1; i <= kMany; ++i) ASSERT_EQ(numbers.intern(i), i);
  for (uint32_t i = 1; i <= kMany; ++i) ASSERT_EQ(numbers.intern(i), i);
}

TEST(InternTable, TellsApartWhatHasOneHash) {
  Numbers numbers;
  for (uint32_t i = 1; i <= 300; ++i) ASSERT_EQ(numbers.intern(i, 5), i);
  for (uint32_t i = 1; i <= 300; ++i) ASSERT_EQ(numbers.intern(i, 5), i);
}

TEST(InternTable, HasNoIdForWhatHasNoRoom) {
  Numbers numbers;
  numbers.full = 3;
  for (uint32_t i = 1; i <= 3; ++i) EXPECT_EQ(numbers.intern(i), i);
  EXPECT_EQ(numbers.intern(4), 0u);
  EXPECT_EQ(numbers.intern(2), 2u);
}

TEST(InternTable, IsEmptyOnceCleared) {
  Numbers numbers;
  for (uint32_t i = 1; i <= kMany; ++i) numbers.intern(i);
  numbers.table.clear();
  numbers.used = 0;
  EXPECT_EQ(numbers.intern(kMany), 1u);
}

TEST(InternTable, GivesOneIdToWhatSeveralThreadsAdd) {
  Numbers numbers;
  std::vector<std::vector<uint32_t>> ids(4, std::vector<uint32_t>(kMany + 1));
  std::vector<std::thread> threads;
  for (std::vector<uint32_t>& mine : ids) {
    threads.emplace_back([&] {
      for (uint32_t i = 1; i <= kMany; ++i) mine[i] = numbers.intern(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(numbers.used, kMany);
  for (const std::vector<uint32_t>& mine : ids) EXPECT_EQ(mine, ids[0]);
}

}  // namespace
}  // namespace tenure::inproc
