// tests/unit/snapshot/late_growth_test.cpp: which programs are worth a walk of their heap, as their ledgers tell.
#include "inproc/snapshot/late_growth.h"

#include <gtest/gtest.h>

#include <string>

#include "../ledger/memory_ledger.h"
#include "inproc/stacks/stack_table.h"

namespace tenure::inproc {
namespace {

using ledger::Site;
using ledger::TableId;

constexpr uint64_t kBlock = 100'000;
constexpr Tick kTicks = 32'000;

class LateGrowth : public ::testing::Test {
 protected:
  LateGrowth() {
    ledger_.writer().header().tick.store(kTicks);
    stacks_.start(&ledger_.writer());
  }

  // A site with one birth in each bucket, made evenly from `from` to `until`; those from `first_kept` on are alive.
  Site& add_site(Tick from, Tick until, uint32_t births, uint32_t first_kept) {
    Site& site = ledger_.add<Site>(TableId::sites);
    site.births = births;
    for (uint32_t i = 0; i < births; ++i) {
      site.buckets[i].first_tick = site.last_tick = from + (until - from) * i / births;
      if (i < first_kept) continue;
      site.buckets[i].live_bytes = kBlock;
      site.live_bytes += kBlock;
    }
    return site;
  }
  // The stack of an import in a line of this file.
  StackId import_of(const std::string& file) {
    StackId line = call({}, file), import = call(line, "<frozen importlib._bootstrap>");
    return call(import, "/x/site-packages/lib/a.py");
  }
  StackId call(StackId outer, const std::string& file) {
    StringId path = stacks_.string(file.data(), static_cast<uint32_t>(file.size()));
    CodeId code = stacks_.code({path, path, 1, 0});
    return stacks_.stack(outer, stacks_.frame({static_cast<uint32_t>(ledger::FrameKind::python),
                                               code.value, 1, 1, 0, 0}));
  }
  bool is_worth_it(uint64_t cpu_ns = 0) { return has_late_growth(ledger_.writer(), cpu_ns); }

  ledger::MemoryLedger ledger_;
  StackTable stacks_;
};

TEST_F(LateGrowth, IsNotInAnEmptyLedger) { EXPECT_FALSE(is_worth_it()); }

TEST_F(LateGrowth, IsWhatALineKeepsAllAlong) {
  add_site(0, kTicks, 32, 0);
  EXPECT_TRUE(is_worth_it());
}

TEST_F(LateGrowth, IsNotWhatWasLoadedAndStayed) {
  add_site(0, kTicks / 2, 32, 0);
  EXPECT_FALSE(is_worth_it());
}

TEST_F(LateGrowth, IsNotTheLastBlockOfALineThatReplacesIt) {
  add_site(0, kTicks, 32, 31);
  EXPECT_FALSE(is_worth_it());
}

TEST_F(LateGrowth, IsABlockThatWasResizedAllAlong) {
  Site& site = add_site(0, kTicks, 32, 31);
  site.resizes = 31;
  EXPECT_TRUE(is_worth_it());
}

TEST_F(LateGrowth, IsABlockThatABiggerOneReplacesAllAlong) {
  Site& site = add_site(0, kTicks, 32, 31);
  for (uint32_t i = 0; i < 32; ++i) site.buckets[i].born_bytes = kBlock / 32 * (i + 1);
  EXPECT_TRUE(is_worth_it());
  for (uint32_t i = 0; i < 32; ++i) site.buckets[i].born_bytes = kBlock;
  EXPECT_FALSE(is_worth_it()) << "one of the same size replaces it";
}

TEST_F(LateGrowth, IsNotOneResultOfTheEnd) {
  add_site(kTicks - 10, kTicks, 1, 0);
  EXPECT_FALSE(is_worth_it());
}

TEST_F(LateGrowth, IsWhatManyLinesKeepOneBlockEach) {
  for (int i = 0; i < 12; ++i) add_site(kTicks - 10, kTicks, 1, 0);
  EXPECT_TRUE(is_worth_it());
}

TEST_F(LateGrowth, IsNotWhatImportsLoadOnce) {
  StackId import = import_of("work/train.py");
  add_site(0, kTicks, 32, 0).stack = import;
  EXPECT_FALSE(is_worth_it());
  auto& loop = ledger_.add<ledger::Series>(TableId::series);
  loop.is_users = true;
  loop.count = 7;
  EXPECT_FALSE(is_worth_it());
  loop.count = 8;
  EXPECT_TRUE(is_worth_it()) << "a loop may load modules again and again";
}

TEST_F(LateGrowth, IsWhatTheUsersOwnModuleDoesWhileItIsLoaded) {
  add_site(0, kTicks, 32, 0).stack = call(import_of("work/main.py"), "work/server.py");
  EXPECT_TRUE(is_worth_it());
}

TEST_F(LateGrowth, IsWhateverACauseNames) {
  ledger_.add<ledger::Cause>(TableId::causes);
  EXPECT_TRUE(is_worth_it());
}

// An import makes most of the births; the work after it is most of the processor time.
TEST_F(LateGrowth, GoesByProcessorTimeToo) {
  constexpr Tick kImported = kTicks * 7 / 10;
  auto& entry = ledger_.add<ledger::TimelineEntry>(TableId::timeline);
  entry.tick = kImported;
  entry.cpu_ns = 100;
  add_site(0, kImported, 32, 0);
  EXPECT_TRUE(is_worth_it()) << "by births alone it went on until late";
  EXPECT_FALSE(is_worth_it(1000));
}

TEST_F(LateGrowth, LeavesOutWhatIsNoMemory) {
  Site& site = add_site(0, kTicks, 32, 0);
  site.kind = static_cast<uint8_t>(ledger::BlockKind::file_map);
  EXPECT_FALSE(is_worth_it());
}

}  // namespace
}  // namespace tenure::inproc
