// Blocks that two things hold: the list that has each of them as an item is found, and nothing that has only a few.
#include "analyze/heap/common_container.h"

#include <gtest/gtest.h>

#include "analyze/heap/retention.h"
#include "snapshot_builder.h"

namespace tenure::analyze {
namespace {

// Functions with an array each, known to native code and, the first `listed` of them, to a list of the program.
struct Functions {
  explicit Functions(int count, int listed) {
    uint32_t native = b.root(ledger::NodeKind::native_root);
    list = b.container("list", static_cast<uint32_t>(listed));
    b.edge(b.module("__main__"), list, "['pullbacks']");
    for (int i = 0; i < count; ++i) {
      uint32_t function = b.object("VJP");
      b.edge(function, b.array(), ".residuals");
      b.edge(native, function, "");
      if (i < listed) b.edge(list, function, "[" + std::to_string(i) + "]");
      buffers.push_back(static_cast<uint32_t>(i));
    }
  }
  SnapshotBuilder b;
  uint32_t list = 0;
  std::vector<uint32_t> buffers;
};

TEST(CommonContainer, IsTheListThatHasMostOfThem) {
  Functions functions(20, 15);
  ledger::Snapshot snapshot = functions.b.snapshot();
  HeapGraph heap(snapshot);
  auto found = one_holder_of_several(heap, functions.buffers);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->point, functions.list);
  EXPECT_EQ(found->count, 15u);
  EXPECT_EQ(found->bytes, 15000u);
  EXPECT_EQ(found->retention_kind, RetentionKind::python);
}

TEST(CommonContainer, IsNoneThatHasFewOfThem) {
  Functions functions(20, 8);
  ledger::Snapshot snapshot = functions.b.snapshot();
  EXPECT_FALSE(one_holder_of_several(HeapGraph(snapshot), functions.buffers));
}

TEST(CommonContainer, HasFourItemsOrMore) {
  for (int items : {3, 4}) {
    Functions functions(items, items);
    ledger::Snapshot snapshot = functions.b.snapshot();
    auto found = one_holder_of_several(HeapGraph(snapshot), functions.buffers);
    EXPECT_EQ(found.has_value(), items == 4) << items;
  }
}

TEST(CommonContainer, IsLookedForAbove512Blocks) {
  Functions functions(600, 600);
  ledger::Snapshot snapshot = functions.b.snapshot();
  auto found = one_holder_of_several(HeapGraph(snapshot), functions.buffers);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 512u);
}

TEST(CommonContainer, IsNoneWhoseOneItemHasThemAll) {
  SnapshotBuilder b;
  uint32_t outer = b.container("list", 1), inner = b.object("Loader");
  b.edge(b.module("__main__"), outer, "['loaders']");
  b.edge(outer, inner, "[0]");
  std::vector<uint32_t> buffers;
  for (uint32_t i = 0; i < 10; ++i) {
    b.edge(inner, b.array(), ".batch" + std::to_string(i));
    buffers.push_back(i);
  }
  ledger::Snapshot snapshot = b.snapshot();
  EXPECT_FALSE(one_holder_of_several(HeapGraph(snapshot), buffers));
}

}  // namespace
}  // namespace tenure::analyze
