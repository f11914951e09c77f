// tests/unit/guard/guarded_heap_test.cpp: where a guarded block ends, what is remembered of it, and that its addresses lead
// nowhere once it has ended.
#include "inproc/guard/guarded_heap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

constexpr KnownStack kBorn{{7}, 1}, kEnded{{8}, 1};
constexpr uint32_t kMany = 10'000;

// One heap for all: its addresses are those of the process. Tests leave no live block behind.
GuardedHeap& heap() {
  static const bool is_on = guarded_heap().start({random_base(), kGuardedRing, kMany});
  EXPECT_TRUE(is_on);
  return guarded_heap();
}

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

bool is_readable(uintptr_t address) {
  char byte;
  return read_memory(address, &byte, 1) == 1;
}

TEST(GuardedHeap, BlocksEndWhereTheirPageEnds) {
  for (size_t alignment : {16, 64, 4096}) {
    for (size_t n : {1, 16, 100, 4095, 4096, 4097, 1 << 20}) {
      auto* p = static_cast<char*>(heap().allocate(n, alignment, kBorn));
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(number(p) % alignment, 0u);
      EXPECT_LT((number(p) + n + alignment - 1) / 4096 * 4096 - (number(p) + n), alignment);
      std::memset(p, 1, n);
      EXPECT_EQ(heap().usable(p), n);
      uintptr_t behind = (number(p) + n + alignment - 1) & ~(alignment - 1);
      EXPECT_FALSE(is_readable(behind)) << n << " bytes at " << alignment;
      EXPECT_EQ(heap().release(p, kEnded), Release::done);
    }
  }
}

TEST(GuardedHeap, ABlockOfNothingHasAnAddressOfItsOwn) {
  void *one = heap().allocate(0, 16, kBorn), *other = heap().allocate(0, 16, kBorn);
  EXPECT_NE(one, other);
  EXPECT_EQ(heap().release(one, kEnded), Release::done);
  EXPECT_EQ(heap().release(other, kEnded), Release::done);
}

TEST(GuardedHeap, AFreedBlockIsGoneAndRemembered) {
  void* p = heap().allocate(5000, 16, kBorn);
  ASSERT_EQ(heap().release(p, kEnded), Release::done);
  EXPECT_FALSE(is_readable(number(p)));
  EXPECT_FALSE(is_readable(number(p) + 4999));
  EXPECT_EQ(heap().usable(p), 0u);
  GuardedBlock block{};
  ASSERT_TRUE(heap().find(number(p) + 1234, &block));
  EXPECT_EQ(block.address, number(p));
  EXPECT_EQ(block.bytes, 5000u);
  EXPECT_EQ(block.born.id, kBorn.id);
  EXPECT_EQ(block.ended.id, kEnded.id);
  EXPECT_FALSE(block.is_live);
}

TEST(GuardedHeap, AFreedBlockCanBeMadeToReadAsZeros) {
  auto* p = static_cast<volatile char*>(heap().allocate(5000, 16, kBorn));
  p[100] = 'x';
  EXPECT_FALSE(heap().show_zeros(number(const_cast<char*>(p)))) << "it lives";
  heap().release(const_cast<char*>(p), kEnded);
  ASSERT_TRUE(heap().show_zeros(number(const_cast<char*>(p)) + 100));
  EXPECT_EQ(p[100], 0);
}

TEST(GuardedHeap, ThePageBehindALiveBlockIsItsOwn) {
  void* p = heap().allocate(4096, 16, kBorn);
  GuardedBlock block{};
  ASSERT_TRUE(heap().find(number(p) + 4096 + 100, &block));
  EXPECT_EQ(block.address, number(p));
  EXPECT_TRUE(block.is_live);
  heap().release(p, kEnded);
  EXPECT_FALSE(heap().find(number(p) + 4096 + 100, &block)) << "nobody's";
}

TEST(GuardedHeap, AddressesAreNotUsedAgainSoon) {
  void* first = heap().allocate(100, 16, kBorn);
  heap().release(first, kEnded);
  for (int i = 0; i < 1000; ++i) {
    void* p = heap().allocate(100, 16, kBorn);
    EXPECT_NE(p, first);
    heap().release(p, kEnded);
  }
  GuardedBlock block{};
  EXPECT_TRUE(heap().find(number(first), &block));
}

TEST(GuardedHeap, ASecondEndIsToldApartFromAnAddressThatIsNoBlocks) {
  void* p = heap().allocate(100, 16, kBorn);
  EXPECT_EQ(heap().release(static_cast<char*>(p) + 16, kEnded), Release::unknown);
  EXPECT_EQ(heap().release(p, kEnded), Release::done);
  EXPECT_EQ(heap().release(p, kEnded), Release::again);
}

TEST(GuardedHeap, WhatIsWrittenBehindTheEndIsNoticed) {
  auto* p = static_cast<char*>(heap().allocate(100, 16, kBorn));
  p[100] = 'x';
  EXPECT_EQ(heap().release(p, kEnded), Release::overrun);
}

TEST(GuardedHeap, RareAlignmentsAndHugeBlocksAreLeftToOthers) {
  EXPECT_EQ(heap().allocate(100, 8192, kBorn), nullptr);
  EXPECT_EQ(heap().allocate(size_t{1} << 40, 16, kBorn), nullptr);
  EXPECT_EQ(heap().allocate(SIZE_MAX - 5, 16, kBorn), nullptr);
}

TEST(GuardedHeap, NoMoreLiveBlocksThanAllowed) {
  std::vector<void*> blocks;
  while (void* p = heap().allocate(100, 16, kBorn)) blocks.push_back(p);
  EXPECT_EQ(blocks.size(), kMany);
  EXPECT_TRUE(heap().is_full());
  for (void* p : blocks) heap().release(p, kEnded);
  void* p = heap().allocate(100, 16, kBorn);
  EXPECT_NE(p, nullptr);
  heap().release(p, kEnded);
}

TEST(GuardedHeap, OfSmallBlocksTheFirstAreWantedAndThenOneInSome) {
  auto fresh = std::make_unique<GuardedHeap>();
  uint64_t wanted = 0;
  for (uint64_t i = 0; i < GuardedHeap::kSmallAtFirst; ++i) wanted += fresh->wants(100);
  EXPECT_EQ(wanted, GuardedHeap::kSmallAtFirst);
  wanted = 0;
  for (uint64_t i = 0; i < 100 * GuardedHeap::kSmallOneIn; ++i) wanted += fresh->wants(100);
  EXPECT_EQ(wanted, 100u);
  EXPECT_TRUE(fresh->wants(GuardedHeap::kAllFrom));
}

TEST(GuardedHeap, BlocksThatLiveWhileTheAddressesGoRoundKeepTheirs) {
  auto small = std::make_unique<GuardedHeap>();
  constexpr size_t kRing = 256 << 20, kBlocks = 50'000, kRounds = 2;
  ASSERT_TRUE(small->start({random_base() + kGuardedRing, kRing, kMany}));
  std::vector<void*> kept;
  size_t handed_out = 0;
  for (size_t i = 0; i < kBlocks; ++i) {
    const size_t n = 1 + i * 3571 % 60'000;
    void* p = small->allocate(n, 16, kBorn);
    if (!p) continue;
    handed_out += n;
    if (i % 500 == 0)
      kept.push_back(p);
    else
      ASSERT_EQ(small->release(p, kEnded), Release::done) << i;
  }
  EXPECT_GT(handed_out, kRounds * kRing);
  for (void* p : kept) EXPECT_EQ(small->release(p, kEnded), Release::done);
}

TEST(GuardedHeap, ThreadsDoNotDisturbEachOther) {
  GuardedHeap& shared = heap();
  auto work = [&shared](unsigned char mark) {
    for (size_t i = 0; i < 2000; ++i) {
      const size_t n = 1 + i * 37 % 9000;
      auto* p = static_cast<unsigned char*>(shared.allocate(n, 16, kBorn));
      ASSERT_NE(p, nullptr);
      std::memset(p, mark, n);
      ASSERT_EQ(p[n - 1], mark);
      ASSERT_EQ(shared.release(p, kEnded), Release::done);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned char mark = 1; mark <= 4; ++mark) threads.emplace_back(work, mark);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tenure::inproc
