// tests/unit/cli/site_watch_test.cpp: looks at the sites of a ledger in, what is kept of them out.
#include "cli/site_watch.h"

#include <gmock/gmock.h>

#include "../ledger/memory_ledger.h"

namespace tenure::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kMiB = 1 << 20;

uint32_t add_site(ledger::MemoryLedger& ledger, ledger::BlockKind kind, uint64_t bytes) {
  uint32_t index = 0;
  ledger::Site& site = ledger.add<ledger::Site>(ledger::TableId::sites, &index);
  site.kind = static_cast<uint8_t>(kind);
  site.live_bytes = bytes;
  return index;
}

TEST(SiteWatch, TellsWhatEachSiteHeldAtEachLook) {
  ledger::MemoryLedger ledger;
  SiteWatch watch;
  const uint32_t first = add_site(ledger, ledger::BlockKind::heap, kMiB);
  watch.look(1, ledger.memory());
  const uint32_t later = add_site(ledger, ledger::BlockKind::heap, 2 * kMiB);
  watch.look(1, ledger.memory());
  const auto told = watch.told(0).sites;
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].site.value, later);
  EXPECT_THAT(told[0].live, ElementsAre(0, 2 * kMiB));
  EXPECT_EQ(told[1].site.value, first);
  EXPECT_THAT(told[1].live, ElementsAre(kMiB, kMiB));
}

TEST(SiteWatch, LeavesOutWhatIsSmallOrNoLiveMemory) {
  ledger::MemoryLedger ledger;
  SiteWatch watch;
  add_site(ledger, ledger::BlockKind::heap, 100);
  add_site(ledger, ledger::BlockKind::anonymous_map, kMiB);
  add_site(ledger, ledger::BlockKind::pool_region, kMiB);
  watch.look(1, ledger.memory());
  EXPECT_THAT(watch.told(0).sites, IsEmpty());
}

TEST(SiteWatch, KeepsTheLargestOfVeryMany) {
  ledger::MemoryLedger ledger;
  SiteWatch watch;
  for (uint64_t i = 1; i <= 1000; ++i) add_site(ledger, ledger::BlockKind::heap, i * 8192);
  watch.look(1, ledger.memory());
  watch.look(1, ledger.memory());
  const auto told = watch.told(0).sites;
  EXPECT_LE(told.size(), 128u);
  EXPECT_THAT(told[0].live, ElementsAre(1000 * 8192, 1000 * 8192));
  watch.drop_every_other();
  EXPECT_THAT(watch.told(0).sites[0].live, SizeIs(1));
}

TEST(SiteWatch, OfALedgerThatWasOverwrittenTakesNothing) {
  ledger::MemoryLedger ledger;
  SiteWatch watch;
  add_site(ledger, ledger::BlockKind::heap, kMiB);
  ledger.writer().header().tables[static_cast<uint32_t>(ledger::TableId::sites)].offset = ~0ull / 2;
  watch.look(1, ledger.memory());
  EXPECT_THAT(watch.told(0).sites, IsEmpty());
}

}  // namespace
}  // namespace tenure::cli
