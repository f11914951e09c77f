// tests/unit/territory/territory_test.cpp: what Tenure's own heap promises for big blocks, on real memory.
#include "inproc/territory/territory.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <thread>
#include <vector>

#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

constexpr size_t kMiB = 1 << 20;

class TerritoryTest : public ::testing::Test {
 public:
  void SetUp() override {
    static const bool is_on = territory().start();
    if (!is_on) GTEST_SKIP() << "the addresses of the territory are not free here";
    territory_.trim();
  }
  unsigned char* make(size_t n, size_t alignment = 16, bool is_zeroed = false) {
    return static_cast<unsigned char*>(territory_.allocate(n, alignment, is_zeroed));
  }
  Territory& territory_ = territory();  // the caches of threads belong to this one
};

TEST_F(TerritoryTest, GivesBlocksOfTheRightAlignmentAndKnowsThem) {
  for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
    unsigned char* p = make(300000, alignment);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % alignment, 0u);
    EXPECT_TRUE(territory_.owns(p));
    EXPECT_GE(territory_.usable(p), 300000u);
    memset(p, 1, territory_.usable(p));
    territory_.release(p);
    EXPECT_FALSE(territory_.owns(p));
  }
}

TEST_F(TerritoryTest, LeavesToLibcWhatIsSmallHugeOrOddlyAligned) {
  EXPECT_EQ(make(Territory::kFrom - 1), nullptr);
  EXPECT_EQ(make(5000, 128), nullptr);
  EXPECT_EQ(make(size_t{1} << 45), nullptr);
  EXPECT_EQ(make(SIZE_MAX - 100), nullptr);
  EXPECT_EQ(make(kMiB, 8192), nullptr);
}

// A vector that grows again and again: what the last round freed has not the sizes of this one.
TEST_F(TerritoryTest, ASmallerBlockGetsTheFrontOfWhatWouldHaveToGo) {
  unsigned char* large = make(512 * kMiB);
  large[0] = large[200 * kMiB] = 7;
  uintptr_t page = reinterpret_cast<uintptr_t>(large) / kSpanPage;
  territory_.release(large);
  unsigned char* first = make(200 * kMiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) / kSpanPage, page);
  unsigned char* second = make(100 * kMiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(second) / kSpanPage, page + 200 * kMiB / kSpanPage + 1);
  first[200 * kMiB - 1] = 1;
  second[0] = second[100 * kMiB - 1] = 2;
  EXPECT_EQ(first[200 * kMiB - 1], 1);
  // Zero pages are never made of it.
  unsigned char* zeroed = make(150 * kMiB, 16, true);
  EXPECT_EQ(zeroed[150 * kMiB - 1], 0);
  territory_.release(second);
  territory_.release(zeroed);
  territory_.release(first);
  EXPECT_TRUE(territory_.trim());
  EXPECT_EQ(territory_.waiting_bytes(), 0u);
}

TEST_F(TerritoryTest, TheNextBlockGetsTheWarmPages) {
  unsigned char* first = make(4 * kMiB);
  memset(first, 7, 4 * kMiB);
  uintptr_t page = reinterpret_cast<uintptr_t>(first) / kSpanPage;
  territory_.release(first);
  unsigned char* second = make(4 * kMiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(second) / kSpanPage, page);
  EXPECT_EQ(second[2 * kMiB], 7);
  territory_.release(second);
}

TEST_F(TerritoryTest, ZeroedBlocksAreZeroAndBigOnesAreNotTouched) {
  for (size_t n : {200000ul, 2 * kMiB, 64 * kMiB}) {
    unsigned char* dirty = make(n);
    memset(dirty, 0xff, n);
    territory_.release(dirty);
    unsigned char* p = make(n, 16, true);
    for (size_t i = 0; i < n; i += 997) ASSERT_EQ(p[i], 0);
    territory_.release(p);
  }
  unsigned char* lazy = make(size_t{1} << 30, 16, true);
  ASSERT_NE(lazy, nullptr);
  auto first_page = reinterpret_cast<void*>(round_up(reinterpret_cast<uintptr_t>(lazy), kHugePage));
  EXPECT_EQ(resident_bytes(first_page, 512 * kMiB), 0u);
  territory_.release(lazy);
}

TEST_F(TerritoryTest, AGrowingBlockKeepsItsBytes) {
  size_t n = 128 << 10;
  unsigned char* p = make(n);
  std::vector<void*> in_the_way;
  for (size_t i = 0; i < n; ++i) p[i] = static_cast<unsigned char>(i * 7);
  for (size_t now = n; now < 200 * kMiB; now += now / 8) {
    if (in_the_way.size() < 20) in_the_way.push_back(make(now));
    unsigned char* q = static_cast<unsigned char*>(territory_.resize(p, now));
    ASSERT_NE(q, nullptr);
    p = q;
    p[now - 1] = 1;
    ASSERT_GE(territory_.usable(p), now);
  }
  for (size_t i = 0; i < n - 1; ++i) ASSERT_EQ(p[i], static_cast<unsigned char>(i * 7));
  territory_.release(p);
  for (void* block : in_the_way) territory_.release(block);
}

// As a list is that is filled anew each round: it takes the pages of the last one and stays there.
TEST_F(TerritoryTest, ABlockThatGrowsAgainMeetsNoFreshPages) {
  size_t first = 150 << 10, last = 900 << 10;
  unsigned char* p = static_cast<unsigned char*>(territory_.allocate_to_grow(first));
  p = static_cast<unsigned char*>(territory_.resize(p, last));
  memset(p, 7, last);
  territory_.release(p);
  unsigned char* again = static_cast<unsigned char*>(territory_.allocate_to_grow(first));
  EXPECT_EQ(again[first], 7);
  for (size_t n = first; n < last; n += n / 8) ASSERT_EQ(territory_.resize(again, n), again);
  EXPECT_EQ(territory_.resize(again, first), nullptr);  // much smaller again: to be copied
  territory_.release(again);
}

TEST_F(TerritoryTest, ABlockThatBecomesMuchSmallerIsToBeCopied) {
  unsigned char* p = make(64 * kMiB);
  EXPECT_EQ(territory_.resize(p, 60 * kMiB), p);
  EXPECT_EQ(territory_.resize(p, 10 * kMiB), nullptr);
  EXPECT_EQ(territory_.resize(p, 100), nullptr);
  territory_.release(p);
}

TEST_F(TerritoryTest, ABlockShrinksWhereItIsAndGivesItsPagesBack) {
  unsigned char* p = make(64 * kMiB);
  p[kMiB - 1] = 7;
  const uint64_t mapped = territory_.mapped_bytes();
  territory_.shrink(p, kMiB);
  EXPECT_LE(territory_.mapped_bytes() + 62 * kMiB, mapped);
  EXPECT_TRUE(territory_.owns(p));
  EXPECT_EQ(p[kMiB - 1], 7);
  EXPECT_GE(territory_.usable(p), size_t{kMiB});
  EXPECT_LT(territory_.usable(p), size_t{kMiB} + 4096);
  territory_.release(p);
}

TEST_F(TerritoryTest, AMiddleBlockShrinksInItsSlot) {
  unsigned char* p = make(3000);
  territory_.shrink(p, 100);
  EXPECT_TRUE(territory_.owns(p));
  EXPECT_GE(territory_.usable(p), 100u);
  territory_.release(p);
}

TEST_F(TerritoryTest, StrayAddressesAreNoBlocks) {
  unsigned char* p = make(kMiB, 64, true);
  for (size_t offset : {16, 64, 4096, 8192, 500000}) EXPECT_FALSE(territory_.owns(p + offset));
  EXPECT_FALSE(territory_.owns(&p));
  territory_.release(p);
}

TEST_F(TerritoryTest, ABlockThatWasGivenBackIsKnownUntilItsPlaceIsTaken) {
  for (size_t n : {size_t{3000}, 20'000 * sizeof(int), 300 * sizeof(int) << 10}) {
    unsigned char* p = make(n);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(territory_.released_at(p), nullptr) << n;
    territory_.release(p);
    ASSERT_NE(territory_.released_at(p), nullptr) << n;
    EXPECT_EQ(territory_.released_at(p)->requested, n);
    EXPECT_EQ(territory_.released_at(p + 16), nullptr) << n;
    unsigned char* next = make(n);
    EXPECT_TRUE(next != p || !territory_.released_at(p)) << n;
    territory_.release(next);
  }
  int local = 0;
  EXPECT_EQ(territory_.released_at(&local), nullptr);
}

TEST_F(TerritoryTest, TrimGivesEverythingBack) {
  territory_.release(make(8 * kMiB));
  uint64_t mapped = territory_.mapped_bytes();
  EXPECT_GE(territory_.waiting_bytes(), 8 * kMiB);
  EXPECT_TRUE(territory_.trim());
  EXPECT_LE(territory_.mapped_bytes(), mapped - 8 * kMiB);
  EXPECT_FALSE(territory_.trim());
}

TEST_F(TerritoryTest, LeavesErrnoAlone) {
  errno = 77;
  EXPECT_EQ(make(size_t{1} << 42), nullptr);  // more than any machine has
  territory_.release(make(kMiB));
  EXPECT_EQ(errno, 77);
}

TEST_F(TerritoryTest, AForkedChildKeepsItsBlocksAndNotWhatWaited) {
  unsigned char* p = make(kMiB);
  memset(p, 5, kMiB);
  territory_.release(make(4 * kMiB));
  pid_t child = fork();
  if (child == 0) {
    territory_.after_fork_in_child();
    bool is_right = territory_.waiting_bytes() < kMiB && territory_.owns(p) && p[kMiB - 1] == 5;
    unsigned char* other = make(2 * kMiB);
    memset(other, 1, 2 * kMiB);
    territory_.release(p);
    territory_.release(other);
    _exit(is_right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_GE(territory_.waiting_bytes(), 4 * kMiB);
  territory_.release(p);
}

// Each block is filled with its own byte: two that overlap would see each other's.
TEST_F(TerritoryTest, ThreadsThatFreeEachOthersBlocksNeverShareOne) {
  struct Held {
    std::atomic<unsigned char*> p{nullptr};
  };
  constexpr int kThreads = 4, kSlots = 32, kRounds = 8000;
  std::vector<Held> slots(kSlots);
  std::atomic<int> wrong{0};
  auto check_and_release = [&](unsigned char* p) {
    size_t n;
    memcpy(&n, p, sizeof n);
    wrong += p[n - 1] != p[8] || p[n / 2] != p[8];
    territory_.release(p);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<uint64_t>(t));
      for (int i = 0; i < kRounds; ++i) {
        size_t n = i % 8 ? 1024 + random() % 20000 : Territory::kSpansFrom + random() % (kMiB / 2);
        unsigned char* p = make(n);
        if (!p) continue;
        memset(p, static_cast<int>(random() % 255), n);
        memcpy(p, &n, sizeof n);
        unsigned char* older = slots[random() % kSlots].p.exchange(p);
        if (older) check_and_release(older);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (Held& slot : slots) {
    if (slot.p) check_and_release(slot.p);
  }
  EXPECT_EQ(wrong.load(), 0);
}

// ---- blocks of middle size ----

TEST_F(TerritoryTest, MiddleBlocksLieAsBlocksOfMallocOrAsAligned) {
  std::vector<unsigned char*> blocks;
  for (size_t n = 1024; n < Territory::kSpansFrom; n += n / 5) {
    for (size_t alignment : {16, 32, 64}) {
      unsigned char* p = make(n, alignment);
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, alignment == 16 ? 16u : 0u);
      EXPECT_TRUE(territory_.owns(p));
      EXPECT_GE(territory_.usable(p), n);
      memset(p, static_cast<int>(blocks.size()), territory_.usable(p));
      blocks.push_back(p);
    }
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i][0], static_cast<unsigned char>(i));
    EXPECT_EQ(blocks[i][territory_.usable(blocks[i]) - 1], static_cast<unsigned char>(i));
    territory_.release(blocks[i]);
    EXPECT_FALSE(territory_.owns(blocks[i]));
  }
}

TEST_F(TerritoryTest, AMiddleBlockIsZeroedThoughItsSlotWasUsed) {
  unsigned char* p = make(3000);
  memset(p, 9, 3000);
  territory_.release(p);
  unsigned char* q = make(3000, 16, true);
  EXPECT_EQ(q, p);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(q[i], 0);
  territory_.release(q);
}

TEST_F(TerritoryTest, AMiddleBlockIsResizedWithinItsSlotOnly) {
  unsigned char* p = make(2048);
  EXPECT_EQ(territory_.resize(p, 1500), p);
  EXPECT_EQ(territory_.resize(p, 2048), p);
  EXPECT_EQ(territory_.resize(p, 5000), nullptr);
  EXPECT_EQ(territory_.resize(p, 100), nullptr);
  territory_.release(p);
}

TEST_F(TerritoryTest, SlabsThatBecomeEmptyAreGivenBack) {
  std::vector<unsigned char*> blocks;
  for (int i = 0; i < 10000; ++i) blocks.push_back(make(6000));
  uint64_t full = territory_.mapped_bytes();
  for (unsigned char* p : blocks) territory_.release(p);
  EXPECT_GE(territory_.waiting_bytes(), 8 * kMiB);
  territory_.trim();
  EXPECT_LT(territory_.mapped_bytes() + 55 * kMiB, full);
}

TEST_F(TerritoryTest, AThreadThatEndsLeavesItsSlotsToOthers) {
  uint64_t before = 0;
  for (int round = 0; round < 200; ++round) {
    std::thread([&] {
      std::vector<unsigned char*> blocks;
      for (int i = 0; i < 100; ++i) blocks.push_back(make(8000));
      for (unsigned char* p : blocks) territory_.release(p);
    }).join();
    if (round == 1) before = territory_.mapped_bytes();
  }
  EXPECT_EQ(territory_.mapped_bytes(), before);
}

TEST_F(TerritoryTest, EverySizeFitsItsClassAndLittleMore) {
  for (size_t n = kSlotsFrom; n <= kSlotsTo; ++n) {
    size_t bytes = class_bytes(slot_class(n));
    ASSERT_GE(bytes, n);
    ASSERT_LE(bytes - n, n / 8 + 1);
  }
}

}  // namespace
}  // namespace tenure::inproc
