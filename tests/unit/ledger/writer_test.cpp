// tests/unit/ledger/writer_test.cpp: the writer's promises: records whose pages exist, losses that are counted, nothing touched beyond.
#include "ledger/writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "memory_ledger.h"

namespace tenure::ledger {
namespace {

uint64_t lost(MemoryLedger& ledger, Loss loss) {
  return ledger.writer().header().losses[static_cast<uint32_t>(loss)].load();
}

TEST(LedgerWriter, RecordZeroOfEveryTableIsTaken) {
  MemoryLedger ledger;
  for (uint32_t t = 0; t < kTableCount; ++t)
    EXPECT_EQ(ledger.writer().used(static_cast<TableId>(t)), 1u);
}

TEST(LedgerWriter, TablesDoNotOverlapAndStayInsideTheReservation) {
  MemoryLedger ledger;
  uint64_t end = sizeof(Header);
  for (const TableInfo& table : ledger.writer().header().tables) {
    EXPECT_GE(table.offset, end);
    end = table.offset + uint64_t{table.capacity} * table.record_bytes;
  }
  EXPECT_LE(end, reserved_bytes());
}

TEST(LedgerWriter, WhatIsClaimedCountsOnlyOnceItIsPublished) {
  MemoryLedger ledger;
  Writer& writer = ledger.writer();
  uint32_t first = writer.claim(TableId::frames, 3);
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(writer.used(TableId::frames), 1u);
  writer.publish(TableId::frames, first + 3);
  EXPECT_EQ(writer.claim(TableId::frames, 1), 4u);
}

TEST(LedgerWriter, AFullTableIsALossAndNoCrash) {
  MemoryLedger ledger;
  Writer& writer = ledger.writer();
  uint32_t capacity = writer.header().tables[static_cast<uint32_t>(TableId::facts)].capacity;
  for (uint32_t i = 1; i < capacity; ++i) ledger.add<Fact>(TableId::facts);
  EXPECT_EQ(writer.claim(TableId::facts, 1), Writer::kNone);
  EXPECT_EQ(lost(ledger, Loss::table_full), 1u);
}

TEST(LedgerWriter, ARefusedPageIsALossAndTheTableStaysUsable) {
  MemoryLedger ledger;
  Writer& writer = ledger.writer();
  g_populates_left = 0;
  uint32_t fits = writer.header().tables[static_cast<uint32_t>(TableId::sites)].populated.load();
  for (uint32_t i = 1; i < fits; ++i) ledger.add<Site>(TableId::sites);
  EXPECT_EQ(writer.claim(TableId::sites, 1), Writer::kNone);
  EXPECT_EQ(lost(ledger, Loss::page_refused), 1u);
  g_populates_left = -1;
  EXPECT_EQ(writer.claim(TableId::sites, 1), fits);
}

TEST(LedgerWriter, WithoutItsFirstPagesThereIsNoLedger) {
  MemoryLedger ledger;
  Writer writer;
  g_populates_left = 0;
  EXPECT_FALSE(writer.format(ledger.memory(), &populate_in_test));
  g_populates_left = -1;
}

TEST(LedgerWriter, ALedgerThatIsNotReadyHasNoMagic) {
  std::vector<char> memory(reserved_bytes());
  Writer writer;
  g_populates_left = 3;  // the header and two tables
  EXPECT_FALSE(writer.format(memory.data(), &populate_in_test));
  g_populates_left = -1;
  EXPECT_NE(std::memcmp(writer.header().magic, kMagic, sizeof kMagic), 0);
  EXPECT_TRUE(writer.format(memory.data(), &populate_in_test));
  EXPECT_EQ(std::memcmp(writer.header().magic, kMagic, sizeof kMagic), 0);
}

// What a fork inside a signal handler does to a child that goes on in the middle of claim().
std::vector<char>* g_emptied;
bool empty_once(void*, size_t) noexcept {
  if (g_emptied) std::fill(g_emptied->begin(), g_emptied->end(), 0);
  g_emptied = nullptr;
  return true;
}

TEST(LedgerWriter, ALedgerThatIsEmptiedInTheMiddleOfAClaimIsGrownFromTheBeginning) {
  std::vector<char> memory(reserved_bytes());
  Writer writer;
  ASSERT_TRUE(writer.format(memory.data(), &empty_once));
  auto table = static_cast<uint32_t>(TableId::sites);
  uint32_t fits = writer.header().tables[table].populated.load();
  writer.publish(TableId::sites, fits);
  g_emptied = &memory;
  EXPECT_EQ(writer.claim(TableId::sites, 1), fits);
  EXPECT_GT(writer.header().tables[table].populated.load(), fits);
}

}  // namespace
}  // namespace tenure::ledger
