// tests/unit/accounting/contract_test.cpp: the contract of the accounting, run over every implementation.
#include "contract.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <thread>
#include <vector>

namespace tenure::inproc {
namespace {

using ledger::BlockKind;
using ledger::Loss;
using ledger::Site;
using ledger::TableId;

using Implementations = ::testing::Types<Accounting, AccountingInTerritory>;
TYPED_TEST_SUITE(AccountingContract, Implementations);

TYPED_TEST(AccountingContract, ABirthIsBookedUntilItsEnd) {
  this->start();
  this->born(1, 5000);
  this->born(2, 3000);
  EXPECT_EQ(this->header().live_bytes.load(), 8000u);
  EXPECT_EQ(this->site().live_count, 2u);
  EXPECT_TRUE(this->ended(1));
  EXPECT_FALSE(this->ended(1));
  EXPECT_EQ(this->header().live_bytes.load(), 3000u);
  Site& site = this->site();
  EXPECT_EQ(site.live_bytes, 3000u);
  EXPECT_EQ(site.live_count, 1u);
  EXPECT_EQ(site.total_bytes, 8000u);
  EXPECT_EQ(site.total_count, 2u);
  EXPECT_EQ(site.largest, 5000u);
}

TYPED_TEST(AccountingContract, AnUnknownEndChangesNothing) {
  this->start();
  this->born(1, 5000);
  EXPECT_FALSE(this->ended(7));
  EXPECT_EQ(this->header().live_bytes.load(), 5000u);
}

TYPED_TEST(AccountingContract, OrdinalsAndTicksCountBirths) {
  this->start();
  LiveBlock block{};
  for (uint64_t i = 0; i < 100; ++i) {
    this->born(i + 1, 2000);
    if (i % 2) this->ended(i);
    ASSERT_TRUE(this->accounting_->find(this->at(i + 1), &block));
    EXPECT_EQ(block.ordinal, i);
  }
  EXPECT_EQ(this->header().tick.load(), 100u);
  EXPECT_EQ(this->site().births, 100u);
  EXPECT_EQ(this->site().first_tick, 1u);
  EXPECT_EQ(this->site().last_tick, 100u);
}

TYPED_TEST(AccountingContract, ALentStackTakesTheBirthOverWithItsTick) {
  this->start();
  Accounting& accounting = *this->accounting_;
  for (uint64_t i = 1; i <= 10; ++i) this->born(i, 2000);
  EXPECT_EQ(accounting.born_without_python(this->at(4)), 4u);
  ledger::Frame python{};
  python.kind = static_cast<uint32_t>(ledger::FrameKind::python);
  python.line = 7;
  StackTable& table = accounting.stacks().table();
  StackId lent = table.stack({}, table.frame(python));
  EXPECT_TRUE(accounting.lend_stack(this->at(4), lent));
  EXPECT_EQ(accounting.born_without_python(this->at(4)), 0u);
  EXPECT_FALSE(accounting.lend_stack(this->at(4), lent));   // it has one
  EXPECT_FALSE(accounting.lend_stack(this->at(99), lent));  // nobody knows it
  EXPECT_EQ(accounting.stack_of(this->at(4)), lent);
  EXPECT_EQ(this->header().live_bytes.load(), 20000u);
  LiveBlock block{};
  ASSERT_TRUE(accounting.find(this->at(4), &block));
  auto* site = accounting.ledger().template record<Site>(TableId::sites, block.site.value);
  EXPECT_EQ(site->live_bytes, 2000u);
  EXPECT_EQ(site->first_tick, 4u);
  EXPECT_TRUE(this->ended(4));
  EXPECT_EQ(site->live_bytes, 0u);
  EXPECT_EQ(this->header().live_bytes.load(), 18000u);
}

TYPED_TEST(AccountingContract, AResizeEndsTheOldBlockAndIsCounted) {
  this->start();
  this->born(1, 2000);
  for (uint64_t i = 1; i < 10; ++i) {
    this->ended(i);
    this->born(i + 1, 2000 + i * 1000, BlockKind::heap, true);
  }
  Site& site = this->site();
  EXPECT_EQ(site.live_bytes, 11000u);
  EXPECT_EQ(site.live_count, 1u);
  EXPECT_EQ(site.births, 10u);
  EXPECT_EQ(site.resizes, 9u);
}

TYPED_TEST(AccountingContract, AnEndThatWentByUnseenIsBookedWhenTheAddressComesAgain) {
  this->start();
  this->born(1, 2000);
  this->born(1, 7000);
  EXPECT_EQ(this->header().live_bytes.load(), 7000u);
  EXPECT_EQ(this->site().live_count, 1u);
}

// Every figure of every site against books kept beside, at every peak of a random life.
TYPED_TEST(AccountingContract, IsExactInASingleThread) {
  this->start();
  struct Books {
    uint64_t live = 0, count = 0, total = 0, births = 0, at_peak = 0, at_peak_count = 0;
  };
  std::map<BlockKind, Books> books;
  std::unordered_map<uint64_t, std::pair<BlockKind, uint64_t>> alive;
  std::mt19937_64 random(3);
  uint64_t live = 0, peak = 0;
  for (uint64_t i = 1; i <= 60000; ++i) {
    bool grows = i / 5000 % 2 == 0;  // waves, so that there are many peaks
    if (alive.empty() || random() % 10 < (grows ? 6 : 4)) {
      BlockKind kind = kKinds[random() % 3];
      uint64_t bytes = 1024 + random() % 100000;
      this->born(i, bytes, kind);
      alive[i] = {kind, bytes};
      Books& b = books[kind];
      b.live += bytes, b.total += bytes, ++b.count, ++b.births, live += bytes;
      if (live > peak) {
        peak = live;
        for (auto& [k, at] : books) at.at_peak = at.live, at.at_peak_count = at.count;
      }
    } else {
      auto it = alive.begin();
      auto [kind, bytes] = it->second;
      ASSERT_TRUE(this->ended(it->first));
      books[kind].live -= bytes, --books[kind].count, live -= bytes;
      alive.erase(it);
    }
  }
  EXPECT_EQ(this->header().live_bytes.load(), live);
  EXPECT_EQ(this->header().peak_bytes.load(), peak);
  for (auto& [kind, b] : books) {
    Site& site = this->site(kind);
    EXPECT_EQ(site.live_bytes, b.live);
    EXPECT_EQ(site.live_count, b.count);
    EXPECT_EQ(site.total_bytes, b.total);
    EXPECT_EQ(site.births, b.births);
    EXPECT_EQ(this->at_peak_bytes(kind), b.at_peak);
    EXPECT_EQ(this->at_peak_count(kind), b.at_peak_count);
  }
}

TYPED_TEST(AccountingContract, WithFourThreadsTotalsAreExactAndSitesHoldNoMoreThanThePeak) {
  this->start();
  constexpr uint64_t kThreads = 4, kEach = 20000, kBytes = 4096;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      std::vector<uint64_t> mine;
      std::mt19937_64 random(t);
      for (uint64_t i = 0; i < kEach; ++i) {
        uint64_t number = t * kEach + i + 1;
        this->born(number, kBytes, kKinds[t % 3]);
        mine.push_back(number);
        if (random() % 3) continue;
        this->ended(mine.back());
        mine.pop_back();
      }
      for (uint64_t number : mine) this->ended(number);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(this->header().live_bytes.load(), 0u);
  uint64_t total = 0;
  for (BlockKind kind : kKinds) {
    EXPECT_EQ(this->site(kind).live_count, 0u);
    total += this->site(kind).total_bytes;
  }
  EXPECT_EQ(total, kThreads * kEach * kBytes);
  EXPECT_EQ(this->header().tick.load(), kThreads * kEach);
  uint64_t at_peak = 0;
  for (BlockKind kind : kKinds) at_peak += this->at_peak_bytes(kind);
  // A thread that is stopped between its birth and the mark of the new peak lets ends of other threads go unsaved.
  uint64_t peak = this->header().peak_bytes.load();
  EXPECT_LE(at_peak, peak + kThreads * kBytes);
  EXPECT_GT(at_peak, 0u);
}

TYPED_TEST(AccountingContract, BucketsHalveAndAlwaysAddUp) {
  this->start();
  for (uint64_t i = 1; i <= 5000; ++i) {
    this->born(i, 1024 + i % 7);
    if (i % 3 == 0) this->ended(i - 1);
    if (i % 617 != 0) continue;
    Site& site = this->site();
    uint64_t live = 0, born = 0, count = 0;
    for (uint32_t b = 0; b < ledger::kBuckets; ++b) {
      live += site.buckets[b].live_bytes;
      born += site.buckets[b].born_bytes;
      count += site.buckets[b].live_count;
      if (b == 0 || !site.buckets[b].first_tick) continue;
      EXPECT_GT(site.buckets[b].first_tick, site.buckets[b - 1].first_tick);
    }
    EXPECT_EQ(live, site.live_bytes);
    EXPECT_EQ(born, site.total_bytes);
    EXPECT_EQ(count, site.live_count);
    EXPECT_LT((site.births - 1) >> site.shift, ledger::kBuckets);
    EXPECT_GE((site.births - 1) >> site.shift, ledger::kBuckets / 2 - 1);
  }
}

TYPED_TEST(AccountingContract, ABucketKnowsHowMuchTheSiteHeldWhileItWasFilled) {
  this->start();
  for (uint64_t i = 1; i <= 16; ++i) {
    this->born(i, 2000);
    if (i > 4) this->ended(i - 4);
  }
  EXPECT_EQ(this->site().buckets[0].high_bytes, 2000u);
  EXPECT_EQ(this->site().buckets[3].high_bytes, 8000u);
  EXPECT_EQ(this->site().buckets[15].high_bytes, 10000u);
}

TYPED_TEST(AccountingContract, WhatASiteHeldAtItsPeakIsFrozenByTheFirstEndAfter) {
  this->start();
  for (uint64_t i = 1; i <= 100; ++i) this->born(i, 5000);
  for (uint64_t i = 1; i <= 100; ++i) this->ended(i);
  const ledger::FrozenBuckets& frozen = this->site().frozen;
  EXPECT_EQ(frozen.bytes, 500000u);
  EXPECT_EQ(frozen.count, 100u);
  EXPECT_EQ(frozen.births, 100u);
  EXPECT_EQ(frozen.tick, 100u);
  uint64_t live = 0;
  for (uint64_t bytes : frozen.live_bytes) live += bytes;
  EXPECT_EQ(live, 500000u);
  EXPECT_EQ(this->site().max_live_bytes, 500000u);
}

TYPED_TEST(AccountingContract, ASlightlyHigherPeakIsNotWorthFreezingAgain) {
  this->start();
  for (uint64_t i = 1; i <= 100; ++i) this->born(i, 5000);
  this->ended(1);
  for (uint64_t i = 101; i <= 104; ++i) this->born(i, 5000);
  this->ended(2);
  EXPECT_EQ(this->site().frozen.bytes, 500000u);
  for (uint64_t i = 105; i <= 120; ++i) this->born(i, 5000);
  this->ended(3);
  EXPECT_EQ(this->site().frozen.bytes, 590000u);
}

TYPED_TEST(AccountingContract, TheTimelineHalvesAndSpansTheRun) {
  this->start();
  for (uint64_t i = 1; i <= 30000; ++i) this->born(i % 50 + 1, 2000);
  ledger::Writer& writer = this->accounting_->ledger();
  uint32_t used = writer.used(TableId::timeline);
  EXPECT_GT(used, ledger::kTimelineEntries / 4);
  EXPECT_LE(used, ledger::kTimelineEntries);
  auto entry = [&](uint32_t i) {
    return writer.record<ledger::TimelineEntry>(TableId::timeline, i)->tick;
  };
  EXPECT_LT(entry(1), 200u);
  EXPECT_GT(entry(used - 1), 29000u);
  for (uint32_t i = 2; i < used; ++i) EXPECT_GT(entry(i), entry(i - 1));
}

TYPED_TEST(AccountingContract, NamedStepsAreSeries) {
  this->start();
  for (int i = 0; i < 12; ++i) this->accounting_->count_step("epoch");
  ledger::Writer& writer = this->accounting_->ledger();
  ASSERT_EQ(writer.used(TableId::series), 2u);
  EXPECT_EQ(writer.record<ledger::Series>(TableId::series, 1)->count.load(), 12u);
}

TYPED_TEST(AccountingContract, PrivateMappingsAreBookedButNotLive) {
  this->start();
  auto mapped = reinterpret_cast<uintptr_t>(this->at(1000));
  this->accounting_->mapped(mapped, 1 << 20, BlockKind::anonymous_map, 0x1234);
  EXPECT_EQ(this->site(BlockKind::anonymous_map).live_bytes, 1u << 20);
  EXPECT_EQ(this->header().live_bytes.load(), 0u);
  this->accounting_->unmapped(mapped, 1 << 20, 0x1234);
  EXPECT_EQ(this->site(BlockKind::anonymous_map).live_bytes, 0u);
}

TYPED_TEST(AccountingContract, AMappingThatIsMadeExecutableIsCodeFromThenOn) {
  this->start();
  auto mapped = reinterpret_cast<uintptr_t>(this->at(1000));
  this->accounting_->mapped(mapped, 1 << 20, BlockKind::anonymous_map, 0x1234);
  this->accounting_->became_code(mapped, 512 << 10, 0x1234);  // a part: it stays what it was
  EXPECT_EQ(this->site(BlockKind::anonymous_map).live_bytes, 1u << 20);
  for (int i = 0; i < 2; ++i) this->accounting_->became_code(mapped, 1 << 20, 0x1234);
  EXPECT_EQ(this->site(BlockKind::anonymous_map).live_bytes, 0u);
  EXPECT_EQ(this->site(BlockKind::code_map).live_bytes, 1u << 20);
  EXPECT_EQ(this->site(BlockKind::code_map).births, 1u);
  EXPECT_EQ(this->header().live_bytes.load(), 0u);
  this->accounting_->unmapped(mapped, 1 << 20, 0x1234);
  EXPECT_EQ(this->site(BlockKind::code_map).live_bytes, 0u);
}

TYPED_TEST(AccountingContract, AMappingEndsPieceByPiece) {
  this->start();
  auto start = reinterpret_cast<uintptr_t>(this->at(1000));
  this->accounting_->mapped(start, 1 << 20, BlockKind::shared_map, 0x1234);
  this->accounting_->unmapped(start + (256 << 10), 256 << 10, 0x1234);
  EXPECT_EQ(this->header().live_bytes.load(), 768u << 10);
  this->accounting_->remapped(start, 256 << 10, start + (8 << 20), 512 << 10, 0x1234);
  EXPECT_EQ(this->header().live_bytes.load(), 1024u << 10);
  this->accounting_->unmapped(start, 16 << 20, 0x1234);
  EXPECT_EQ(this->header().live_bytes.load(), 0u);
  EXPECT_EQ(this->site(BlockKind::shared_map).live_count, 0u);
}

TYPED_TEST(AccountingContract, OfARemappedPieceTheRestStays) {
  this->start();
  auto start = reinterpret_cast<uintptr_t>(this->at(1000));
  this->accounting_->mapped(start, 1 << 20, BlockKind::shared_map, 0x1234);
  this->accounting_->remapped(start, 512 << 10, start + (8 << 20), 512 << 10, 0x1234);
  EXPECT_EQ(this->header().live_bytes.load(), 1u << 20);
}

TYPED_TEST(AccountingContract, ASegmentLivesUntilItIsUnlinked) {
  this->start();
  this->accounting_->segment_opened(5, "/frames");
  this->accounting_->segment_sized(5, 1 << 20, 0x1234);
  EXPECT_EQ(this->site(BlockKind::shared_segment).live_bytes, 1u << 20);
  this->accounting_->segment_unlinked("/frames");
  EXPECT_EQ(this->site(BlockKind::shared_segment).live_bytes, 0u);
}

TYPED_TEST(AccountingContract, ASmallProcessTakesNoLedger) {
  this->start(false);
  this->born(1, 100 << 10);
  EXPECT_FALSE(this->accounting_->is_on());
  this->born(2, 200 << 10);
  EXPECT_TRUE(this->accounting_->is_on());
  EXPECT_EQ(this->header().live_bytes.load(), 200u << 10);
  EXPECT_FALSE(this->ended(1));  // it was before our time
}

TYPED_TEST(AccountingContract, WithoutASupervisorNothingIsCountedAndNothingBreaks) {
  munmap(g_ledger_memory, ledger::reserved_bytes());
  g_ledger_memory = nullptr;
  this->start();
  this->born(1, 1 << 20);
  EXPECT_FALSE(this->accounting_->is_on());
  EXPECT_FALSE(this->ended(1));
}

TYPED_TEST(AccountingContract, AForkedChildStartsAnewAndLeavesTheParentsLedgerAlone) {
  this->start();
  for (uint64_t i = 1; i <= 100; ++i) this->born(i, 5000);
  pid_t child = fork();
  if (child == 0) {
    g_ledger_memory = map_ledger();
    this->accounting_->after_fork_in_child();
    bool forgot = !this->ended(1);
    this->accounting_->ensure_on();
    this->born(1, 7000);
    bool is_own = this->header().live_bytes.load() == 7000 && this->header().tick.load() == 1 &&
                  this->header().pid == getpid();
    _exit(forgot && is_own ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(this->header().live_bytes.load(), 500000u);
  EXPECT_TRUE(this->ended(1));
}

TYPED_TEST(AccountingContract, AForkBehindOurBackIsNoticedAtTheNextBirth) {
  this->start();
  this->born(1, 300 << 10);
  pid_t child = fork();
  if (child == 0) {
    g_ledger_memory = map_ledger();
    this->born(2, 300 << 10);
    _exit(this->header().pid == getpid() && this->header().tick.load() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TYPED_TEST(AccountingContract, InsideItsOwnSlowPathABirthIsALossAndNoDeadlock) {
  this->start();
  this->born(1, 5000);
  {
    BusyGuard interrupted;  // a signal came while this thread was in the slow path
    this->born(2, 5000);
    EXPECT_FALSE(this->ended(1));
  }
  EXPECT_EQ(this->lost(Loss::untracked_birth), 1u);
  EXPECT_EQ(this->lost(Loss::unmatched_end), 1u);
  EXPECT_EQ(this->header().live_bytes.load(), 5000u);
}

// ---- sampled blocks ----

struct Estimate {
  double total, total_sigma, live, live_sigma, count;
};

// 40 000 small blocks of all sizes; every fourth stays.
template <class Test>
Estimate run_of_small_blocks(Test& test, uint64_t seed, double* total, double* live) {
  g_thread.is_seeded = true;
  g_thread.random = seed * 0x9e3779b97f4a7c15ull + 1;
  Random first(g_thread.random);
  g_thread.bytes_until_sample = first.gap(kSampleMean);
  g_thread.random = first.next();
  *total = *live = 0;
  for (uint64_t i = 1; i <= 40000; ++i) {
    uint64_t bytes = 16 + i * 7919 % 1000;
    *total += static_cast<double>(bytes);
    bool is_sampled = (g_thread.bytes_until_sample -= static_cast<int64_t>(bytes)) < 0 &&
                      test.accounting_->is_sampled(bytes);
    if (is_sampled) test.born(i, bytes, BlockKind::small_heap);
    if (i % 4 == 0)
      *live += static_cast<double>(bytes);
    else
      test.ended(i);
  }
  Site& site = test.site(BlockKind::small_heap);
  return {static_cast<double>(site.total_bytes), std::sqrt(site.total_variance),
          static_cast<double>(site.live_bytes), std::sqrt(std::max(0.0, site.live_variance)),
          static_cast<double>(site.total_count)};
}

TYPED_TEST(AccountingContract, EstimatesOfSmallBlocksAreUnbiasedAndWithinTheirStatedError) {
  int total_within = 0, live_within = 0;
  double total_bias = 0, live_bias = 0, count_bias = 0;
  const int seeds = 100;
  for (int seed = 1; seed <= seeds; ++seed) {
    this->SetUp();
    this->accounting_ = std::make_unique<TypeParam>();
    this->start();
    double total, live;
    Estimate e = run_of_small_blocks(*this, static_cast<uint64_t>(seed), &total, &live);
    total_within += std::abs(e.total - total) <= 2 * e.total_sigma;
    live_within += std::abs(e.live - live) <= 2 * e.live_sigma;
    total_bias += (e.total / total - 1) / seeds;
    live_bias += (e.live / live - 1) / seeds;
    count_bias += (e.count / 40000 - 1) / seeds;
    if (seed < seeds) munmap(this->ledger_memory_, ledger::reserved_bytes());
  }
  // Two sigma hold 95 of 100; fewer than 89 happen once in a hundred such tests.
  EXPECT_GE(total_within, 89);
  EXPECT_GE(live_within, 89);
  // About 630 samples a run: sigma of the mean over 100 runs is 0.4 % of the total, 0.8 % of the live.
  EXPECT_NEAR(total_bias, 0, 0.013);
  EXPECT_NEAR(live_bias, 0, 0.025);
  EXPECT_NEAR(count_bias, 0, 0.03);
}

TYPED_TEST(AccountingContract, SamplesOfSmallBlocksDoNotCountAsLiveMemory) {
  this->start();
  this->born(1, 100, BlockKind::small_heap);
  EXPECT_EQ(this->header().live_bytes.load(), 0u);
  EXPECT_NEAR(static_cast<double>(this->site(BlockKind::small_heap).live_bytes), kSampleMean, 100);
  this->ended(1);
  EXPECT_EQ(this->site(BlockKind::small_heap).live_bytes, 0u);
  EXPECT_EQ(this->site(BlockKind::small_heap).live_count, 0u);
}

}  // namespace
}  // namespace tenure::inproc
