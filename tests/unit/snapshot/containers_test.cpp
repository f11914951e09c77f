// The containers of the snapshot's child: they must work without any heap.
#include <gtest/gtest.h>

#include <string>

#include "inproc/snapshot/address_map.h"
#include "inproc/snapshot/block_index.h"
#include "inproc/snapshot/text_table.h"

namespace tenure::inproc {
namespace {

TEST(Column, KeepsItsItemsWhileItMoves) {
  Column<uint64_t> column;
  for (uint64_t i = 0; i < 1000000; ++i) ASSERT_TRUE(column.push(i * 3));
  for (uint64_t i = 0; i < 1000000; ++i) ASSERT_EQ(column[i], i * 3);
  column.release();
  EXPECT_EQ(column.size(), 0u);
}

TEST(Column, ExtendsWithZeros) {
  Column<uint32_t> column;
  ASSERT_TRUE(column.extend_to(70000));
  for (uint32_t n : column) ASSERT_EQ(n, 0u);
}

TEST(AddressMap, FindsWhatWasAddedAndNothingElse) {
  AddressMap map;
  EXPECT_EQ(map.find(16), AddressMap::kNone);
  for (uint32_t i = 1; i <= 200000; ++i) {
    bool fresh = false;
    *map.find_or_add(uint64_t{i} * 48, &fresh) = i;
    ASSERT_TRUE(fresh);
  }
  for (uint32_t i = 1; i <= 200000; ++i) ASSERT_EQ(map.find(uint64_t{i} * 48), i);
  EXPECT_EQ(map.find(40), AddressMap::kNone);
  EXPECT_EQ(map.size(), 200000u);
  map.release();
}

TEST(TextTable, GivesOneTextOnePlaceAtAMultipleOfEight) {
  TextTable texts;
  EXPECT_EQ(texts.add(""), 0u);
  uint32_t losses = texts.add("['losses']"), cache = texts.add(".cache");
  EXPECT_NE(losses, cache);
  EXPECT_EQ(texts.add("['losses']"), losses);
  EXPECT_EQ(losses % 8, 0u);
  EXPECT_EQ(cache % 8, 0u);
  uint32_t length;
  memcpy(&length, texts.bytes().data() + cache, sizeof length);
  EXPECT_EQ(std::string(texts.bytes().data() + cache + sizeof length, length), ".cache");
}

TEST(ShortText, CutsWhatDoesNotFit) {
  ShortText text;
  text.add(std::string(1000, 'x').c_str()).add("end");
  EXPECT_EQ(text.size(), 240u);
  EXPECT_EQ(std::string(ShortText().add_number(-120).data(), 4), "-120");
}

LiveBlock block(uintptr_t address, uint64_t bytes) { return {address, bytes, 0, SiteId{1}, 1}; }

TEST(BlockIndex, FindsBlocksByStartAndByAnyAddressInside) {
  BlockIndex blocks;
  blocks.add(block(0x9000, 0x100));
  blocks.add(block(0x1000, 0x1000));
  blocks.add(block(0x5000, 0x20));
  blocks.seal();
  EXPECT_EQ(blocks[blocks.starting_at(0x5000)].bytes, 0x20u);
  EXPECT_EQ(blocks.starting_at(0x5010), BlockIndex::kNone);
  EXPECT_EQ(blocks[blocks.covering(0x1fff)].address, 0x1000u);
  EXPECT_EQ(blocks.covering(0x2000), BlockIndex::kNone);
  EXPECT_EQ(blocks.covering(0x500), BlockIndex::kNone);
  EXPECT_EQ(blocks.covering(0x9100), BlockIndex::kNone);
}

}  // namespace
}  // namespace tenure::inproc
