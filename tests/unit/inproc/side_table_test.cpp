// tests/unit/inproc/side_table_test.cpp: blocks in, blocks out, also while other threads change the same shards.
#include "inproc/accounting/side_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

namespace tenure::inproc {
namespace {

LiveBlock block_at(uintptr_t address, uint32_t ordinal = 0) {
  return {address, 4096, 0, SiteId{7}, ordinal};
}

class SideTableTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(table_->start()); }
  bool insert(uintptr_t address, uint32_t ordinal = 0) {
    LiveBlock older;
    return table_->insert(block_at(address, ordinal), &older);
  }
  bool remove(uintptr_t address, LiveBlock* out = nullptr) {
    LiveBlock block;
    return table_->remove(address, out ? out : &block);
  }
  std::unique_ptr<SideTable> table_ = std::make_unique<SideTable>();
};

TEST_F(SideTableTest, GivesBackWhatWasInserted) {
  ASSERT_TRUE(insert(0x7f0000001010, 5));
  LiveBlock block;
  ASSERT_TRUE(table_->find(0x7f0000001010, &block));
  EXPECT_EQ(block.ordinal, 5u);
  ASSERT_TRUE(remove(0x7f0000001010, &block));
  EXPECT_EQ(block.bytes, 4096u);
  EXPECT_FALSE(remove(0x7f0000001010));
}

TEST_F(SideTableTest, TellsWhatItStillHadAtAnAddress) {
  LiveBlock older;
  ASSERT_TRUE(table_->insert(block_at(0x1000, 1), &older));
  EXPECT_EQ(older.address, 0u);
  ASSERT_TRUE(table_->insert(block_at(0x1000, 2), &older));
  EXPECT_EQ(older.address, 0x1000u);
  EXPECT_EQ(older.ordinal, 1u);
}

TEST_F(SideTableTest, AgreesWithAMapThroughGrowthAndShrinking) {
  std::unordered_map<uintptr_t, uint32_t> model;
  std::mt19937_64 random(1);
  for (uint32_t i = 0; i < 300'000; ++i) {
    uintptr_t address = (random() % 60'000 + 1) * 16 * (i % 3 == 0 ? 256 : 1);
    bool grows = i < 150'000 ? random() % 4 != 0 : random() % 4 == 0;
    if (grows) {
      ASSERT_TRUE(insert(address, i));
      model[address] = i;
    } else {
      LiveBlock block;
      bool was_there = remove(address, &block);
      auto expected = model.find(address);
      ASSERT_EQ(was_there, expected != model.end());
      if (!was_there) continue;
      ASSERT_EQ(block.ordinal, expected->second);
      model.erase(expected);
    }
  }
  for (const auto& [address, ordinal] : model) {
    LiveBlock block;
    ASSERT_TRUE(table_->find(address, &block));
    ASSERT_EQ(block.ordinal, ordinal);
  }
}

TEST_F(SideTableTest, NeverCallsAPresentBlockAbsent) {
  for (uintptr_t address = 0x10; address < 0x40000; address += 0x10) ASSERT_TRUE(insert(address));
  for (uintptr_t address = 0x10; address < 0x40000; address += 0x10)
    ASSERT_FALSE(table_->is_surely_absent(address));
  EXPECT_TRUE(table_->is_surely_absent(0x7f0000001010));
}

TEST_F(SideTableTest, StaysRightWhileOtherThreadsInsertAndRemove) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      std::mt19937_64 random(static_cast<uint64_t>(w));
      std::vector<uintptr_t> mine;
      while (!stop.load(std::memory_order_relaxed)) {
        uintptr_t address = (random() % (1 << 20) * 4 + static_cast<uintptr_t>(w)) * 16 + 16;
        LiveBlock older;
        if (mine.size() < 20'000 && table_->insert(block_at(address), &older)) {
          mine.push_back(address);
        } else if (!mine.empty()) {
          LiveBlock block;
          table_->remove(mine.back(), &block);
          mine.pop_back();
        }
      }
    });
  }
  std::mt19937_64 random(99);
  for (int i = 0; i < 200'000; ++i) {
    uintptr_t address = (random() % (1 << 20) * 4 + 3) * 16 + 16;  // nobody else's
    ASSERT_TRUE(insert(address));
    ASSERT_FALSE(table_->is_surely_absent(address));
    ASSERT_TRUE(remove(address));
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
}

TEST_F(SideTableTest, ForgetsEverythingInAForkedChild) {
  for (uintptr_t address = 0x10; address < 0x40000; address += 0x10) ASSERT_TRUE(insert(address));
  table_->restart();
  LiveBlock block;
  EXPECT_FALSE(table_->find(0x10, &block));
  EXPECT_TRUE(insert(0x10));
}

}  // namespace
}  // namespace tenure::inproc
