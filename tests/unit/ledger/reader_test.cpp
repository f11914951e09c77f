// tests/unit/ledger/reader_test.cpp: the reader believes nothing: ids out of range are "none", and no damage becomes a crash.
#include "ledger/reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ledger/image.h"
#include "memory_ledger.h"

namespace tenure::ledger {
namespace {

StringId add_string(MemoryLedger& ledger, const std::string& text) {
  Writer& writer = ledger.writer();
  auto length = static_cast<uint32_t>(text.size());
  uint32_t skip = (8 - writer.used(TableId::strings) % 8) % 8;
  uint32_t at = writer.claim(TableId::strings, skip + 4 + length) + skip;
  std::memcpy(writer.record<char>(TableId::strings, at), &length, 4);
  std::memcpy(writer.record<char>(TableId::strings, at + 4), text.data(), length);
  writer.publish(TableId::strings, at + 4 + length);
  return {at};
}

Result<Reader> reader_of(MemoryLedger& ledger) {
  return Reader::from_bytes(copy_used(ledger.memory()), "test");
}

TEST(LedgerReader, FindsStringsByTheirOffset) {
  MemoryLedger ledger;
  StringId first = add_string(ledger, "train.py"), second = add_string(ledger, "");
  Result<Reader> reader = reader_of(ledger);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->string(first), "train.py");
  EXPECT_EQ(reader->string(second), "");
  EXPECT_EQ(reader->string({0}), "");
  EXPECT_EQ(reader->string({0xffffffff}), "");
}

TEST(LedgerReader, AStringThatReachesOutOfItsTableIsEmpty) {
  MemoryLedger ledger;
  StringId id = add_string(ledger, "abc");
  uint32_t length = 1000000;
  std::memcpy(ledger.writer().record<char>(TableId::strings, id.value), &length, 4);
  EXPECT_EQ(reader_of(ledger)->string(id), "");
}

TEST(LedgerReader, AnIdOutOfRangeIsRecordZero) {
  MemoryLedger ledger;
  ledger.add<Frame>(TableId::frames).line = 7;
  Result<Reader> reader = reader_of(ledger);
  EXPECT_EQ(reader->frame({1}).line, 7u);
  EXPECT_EQ(reader->frame({2}).line, 0u);
  EXPECT_EQ(reader->code(12345).first_line, 0);
}

TEST(LedgerReader, WalksAStackOutwards) {
  MemoryLedger ledger;
  for (uint32_t i = 1; i <= 3; ++i) ledger.add<Stack>(TableId::stacks) = {{i - 1}, {i}, i};
  std::vector<StackId> nodes = reader_of(ledger)->nodes({3});
  EXPECT_EQ(nodes, (std::vector<StackId>{{3}, {2}, {1}}));
}

TEST(LedgerReader, AStackThatLeadsToItselfEnds) {
  MemoryLedger ledger;
  ledger.add<Stack>(TableId::stacks) = {{2}, {1}, 1};
  ledger.add<Stack>(TableId::stacks) = {{1}, {1}, 1};
  EXPECT_LE(reader_of(ledger)->nodes({2}).size(), 2u);
}

TEST(LedgerReader, TheLastFactCounts) {
  MemoryLedger ledger;
  StringId key = add_string(ledger, "python");
  ledger.add<Fact>(TableId::facts) = {key, add_string(ledger, "3.7.0")};
  ledger.add<Fact>(TableId::facts) = {key, add_string(ledger, "3.11.7")};
  Result<Reader> reader = reader_of(ledger);
  EXPECT_EQ(reader->fact("python"), "3.11.7");
  EXPECT_EQ(reader->fact("ruby"), "");
}

TEST(LedgerReader, RefusesTablesThatDoNotFit) {
  MemoryLedger ledger;
  const std::vector<char> good = copy_used(ledger.memory());
  auto refuses = [&](auto change) {
    std::vector<char> raw = good;
    change(*reinterpret_cast<Header*>(raw.data()));
    return !Reader::from_bytes(raw, "test");
  };
  EXPECT_TRUE(refuses([](Header& h) { h.tables[3].used.store(0xffffffff); }));
  EXPECT_TRUE(refuses([](Header& h) { h.tables[3].used.store(0); }));
  EXPECT_TRUE(refuses([](Header& h) { h.tables[3].offset = ~0ull << 3; }));
  EXPECT_TRUE(refuses([](Header& h) { h.tables[3].offset += 4; }));
  EXPECT_TRUE(refuses([](Header& h) { h.tables[5].record_bytes += 8; }));
  EXPECT_TRUE(refuses([](Header& h) { h.magic[0] = 'X'; }));
  EXPECT_TRUE(refuses([](Header& h) { h.version += 1; }));
  EXPECT_FALSE(refuses([](Header&) {}));
}

TEST(LedgerReader, RefusesASiteWhoseBucketsAreWiderThanAnyNumber) {
  MemoryLedger ledger;
  auto& site = ledger.add<Site>(TableId::sites);
  EXPECT_TRUE(reader_of(ledger));
  site.shift = 59;
  EXPECT_FALSE(reader_of(ledger));
  site.shift = 0;
  site.frozen.shift = 512;
  EXPECT_FALSE(reader_of(ledger));
}

TEST(LedgerReader, IsShorterThanAHeader) {
  EXPECT_FALSE(Reader::from_bytes(std::vector<char>(100), "test"));
  EXPECT_FALSE(Reader::from_bytes({}, "test"));
}

// Whatever bytes come, every question has an answer.
TEST(LedgerReader, SurvivesRandomDamage) {
  MemoryLedger ledger;
  for (uint32_t i = 1; i <= 20; ++i) {
    ledger.add<Stack>(TableId::stacks) = {{i - 1}, {i}, i};
    ledger.add<Frame>(TableId::frames).owner = i;
    add_string(ledger, "text " + std::to_string(i));
  }
  const std::vector<char> good = copy_used(ledger.memory());
  std::mt19937 random(11);
  size_t asked = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<char> raw = good;
    for (int k = 0; k < 20; ++k) raw[random() % raw.size()] = static_cast<char>(random());
    Result<Reader> reader = Reader::from_bytes(std::move(raw), "test");
    if (!reader) continue;
    for (uint32_t id = 0; id < 40; ++id)
      asked += reader->string({id * 8}).size() + reader->nodes({id}).size();
    asked += reader->sites().size() + reader->series().size() + reader->fact("x").size();
  }
  EXPECT_GT(asked, 0u);
}

}  // namespace
}  // namespace tenure::ledger
