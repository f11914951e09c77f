// A snapshot and a block in, its holder and one way to it out.
#include "analyze/heap/block_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/heap/holders.h"
#include "base/sentence_writer.h"
#include "report/block_path.h"
#include "snapshot_builder.h"

namespace tenure::analyze {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(BlockId, IsReadAsItIsWritten) {
  EXPECT_EQ(text_of({3, 17}), "b3.17");
  auto id = parse_block_id("b3.17");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->snapshot, 3u);
  EXPECT_EQ(id->buffer, 17u);
  for (const char* text :
       {"", "b", "b.", "b3", "3.17", "b0.1", "b3.x", "b3.1 ", "b-1.2", "b99999999999.1"})
    EXPECT_FALSE(parse_block_id(text)) << text;
}

ledger::Snapshot list_of_arrays() {
  SnapshotBuilder b;
  uint32_t losses = b.container("list", 12);
  b.edge(b.module("__main__"), losses, "['losses']");
  b.fill(losses, 12);
  return b.snapshot();
}

TEST(BlockPath, LeadsFromTheRootToTheBlock) {
  ledger::Snapshot snapshot = list_of_arrays();
  HeapGraph heap(snapshot);
  BlockPath path = path_to_block(heap, 3, "train.py");
  EXPECT_EQ(path.bytes, snapshot.buffers()[3].bytes);
  EXPECT_THAT(path.holder, HasSubstr("name=losses"));
  ASSERT_GE(path.steps.size(), 3u);
  EXPECT_EQ(path.steps[0].name, sentence("path.module", {{"name", "__main__"}}));
  EXPECT_EQ(path.steps[1].name, sentence("path.global", {{"name", "losses"}}));
  EXPECT_EQ(path.steps[1].type, "list");
  EXPECT_EQ(path.steps[1].length, 12u);
  EXPECT_EQ(path.steps[2].name, "[3]");
  std::string text = report::block_path_text(path, "");
  EXPECT_THAT(text, HasSubstr("held by"));
  EXPECT_THAT(text,
              HasSubstr("\n  module __main__\n    global `losses`  (list, 12 items)\n      [3]"));
}

TEST(BlockPath, MarksTheReferenceThatKeepsTheBlockInItsHolder) {
  ledger::Snapshot snapshot = list_of_arrays();
  HeapGraph heap(snapshot);
  const BlockPath path = path_to_block(heap, 3, "train.py");
  ASSERT_GE(path.steps.size(), 3u);
  EXPECT_FALSE(path.steps[1].is_cut);
  EXPECT_TRUE(path.steps[2].is_cut);  // the item of the list
}

TEST(BlockPath, OfABlockThatNothingLeadsToIsASentence) {
  EXPECT_EQ(report::block_path_text({1000, "", {}, {}}, ""),
            "1000 B, and no Python object leads there\n");
}

TEST(BlockPath, BlocksAreFoundByAnyAddressInside) {
  ledger::Snapshot snapshot = list_of_arrays();
  const ledger::SnapshotBuffer& buffer = snapshot.buffers()[5];
  EXPECT_EQ(buffer_at(snapshot, buffer.address), 5u);
  EXPECT_EQ(buffer_at(snapshot, buffer.address + buffer.bytes - 1), 5u);
  EXPECT_FALSE(buffer_at(snapshot, 1));
}

TEST(BlockPath, TheListOfHoldersNamesABlockOfEach) {
  std::vector<ledger::Snapshot> snapshots;
  snapshots.push_back(list_of_arrays());
  auto summary = Holders(snapshots, "train.py").summary(8);
  ASSERT_TRUE(summary);
  ASSERT_FALSE(summary->holders.empty());
  EXPECT_THAT(summary->holders[0].block, StartsWith("b1."));
}

}  // namespace
}  // namespace tenure::analyze
