// tests/unit/retention/small_views_test.cpp: what is kept of a block: slices and elements of it, or all.
#include "analyze/heap/small_views.h"

#include <gtest/gtest.h>

#include <string>

#include "snapshot_builder.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;

constexpr uint64_t kBytes = 1000;

// A list that keeps views of one block.
struct Kept {
  SnapshotBuilder b;
  uint32_t list;

  Kept() : list(b.container("list", 8)) { b.edge(b.module("__main__"), list, "['kept']"); }

  void keep(uint32_t node) { b.edge(list, node, "[0]"); }
  uint32_t base() {
    uint32_t base = b.array(kBytes);
    b.set_size(base, kBytes);
    return base;
  }
  uint32_t view_of(uint32_t base, uint32_t bytes) {
    uint32_t view = b.object("numpy.ndarray");
    b.set_size(view, bytes);
    b.edge(view, base, ".base");
    return view;
  }
  // A tensor of torch that shows so much of its storage, as its Python object.
  uint32_t tensor_of(uint32_t storage, uint32_t bytes) {
    uint32_t impl = b.add(NodeKind::native, "TensorImpl");
    b.set_size(impl, bytes);
    b.edge(impl, storage, "");
    uint32_t tensor = b.object("Tensor");
    b.edge(tensor, impl, "");
    return tensor;
  }
  uint32_t storage() {
    uint32_t storage = b.add(NodeKind::native, "StorageImpl");
    b.set_size(storage, 0);
    b.block(storage, kBytes, 1);
    return storage;
  }
  bool is_view() const {
    ledger::Snapshot snapshot = b.snapshot();
    return is_kept_by_small_views(HeapGraph(snapshot), snapshot.buffers()[0].node, kBytes);
  }
};

bool is_view_of(uint32_t bytes) {
  Kept kept;
  kept.keep(kept.view_of(kept.base(), bytes));
  return kept.is_view();
}

TEST(SmallViews, OfAQuarterOrLessOfABlockAreTold) {
  EXPECT_TRUE(is_view_of(250));
  EXPECT_FALSE(is_view_of(251));
}

TEST(SmallViews, AreAddedUp) {
  for (int count : {4, 5}) {
    Kept kept;
    uint32_t base = kept.base();
    for (int i = 0; i < count; ++i) kept.keep(kept.view_of(base, 60));
    EXPECT_EQ(kept.is_view(), count == 4) << count;
  }
}

TEST(SmallViews, AreNoneWhereTheArrayItselfIsKeptToo) {
  Kept kept;
  uint32_t base = kept.base();
  kept.keep(kept.view_of(base, 10));
  kept.keep(base);
  EXPECT_FALSE(kept.is_view());
}

TEST(SmallViews, OfOtherViewsCountAsTheOutermost) {
  Kept kept;
  kept.keep(kept.view_of(kept.view_of(kept.base(), 900), 10));
  EXPECT_TRUE(kept.is_view());
}

TEST(SmallViews, AreElementsOfATensor) {
  Kept kept;
  uint32_t storage = kept.storage();
  kept.keep(kept.tensor_of(storage, 4));
  kept.keep(kept.tensor_of(storage, 4));
  EXPECT_TRUE(kept.is_view());
}

TEST(SmallViews, ATensorThatShowsAllOfItsStorageIsNone) {
  Kept kept;
  kept.keep(kept.tensor_of(kept.storage(), kBytes));
  EXPECT_FALSE(kept.is_view());
}

TEST(SmallViews, ATensorWhoseExtentIsNotKnownIsNone) {
  Kept kept;
  kept.keep(kept.tensor_of(kept.storage(), 0));
  EXPECT_FALSE(kept.is_view());
}

// A view of torch leads to the tensor it was cut from, which nobody else keeps; that tensor keeps its own Python object.
TEST(SmallViews, TheTensorTheyWereCutFromDoesNotCount) {
  Kept kept;
  uint32_t storage = kept.storage();
  uint32_t whole = kept.b.add(NodeKind::native, "TensorImpl");
  kept.b.set_size(whole, kBytes);
  kept.b.edge(whole, storage, "");
  uint32_t object = kept.b.object("Tensor");
  kept.b.edge(object, whole, "");
  kept.b.edge(whole, object, "");
  uint32_t view = kept.b.add(NodeKind::native, "TensorImpl");
  kept.b.set_size(view, 4);
  kept.b.edge(view, storage, "");
  kept.b.edge(view, whole, "");
  uint32_t element = kept.b.object("Tensor");
  kept.b.edge(element, view, "");
  kept.keep(element);
  EXPECT_TRUE(kept.is_view());
}

TEST(SmallViews, WhatAGradientGraphSavedIsNone) {
  Kept kept;
  uint32_t storage = kept.storage();
  uint32_t saved = kept.tensor_of(storage, kBytes);
  uint32_t node = kept.b.add(NodeKind::native, "MulBackward0");
  kept.b.edge(node, saved, "");
  kept.keep(node);
  kept.keep(kept.tensor_of(storage, 4));
  EXPECT_FALSE(kept.is_view());
}

TEST(SmallViews, AMemoryviewIsOne) {
  for (const char* type : {"bytes", "bytearray"}) {
    Kept kept;
    uint32_t data = kept.b.array(kBytes, 1, type);
    uint32_t managed = kept.b.object("managedbuffer"), view = kept.b.object("memoryview");
    kept.b.set_size(view, 100);
    kept.b.edge(managed, data, "");
    kept.b.edge(view, managed, "");
    kept.keep(view);
    EXPECT_TRUE(kept.is_view()) << type;
  }
}

TEST(SmallViews, OfOneBlockAreLookedAtUpToTwoHundred) {
  for (int count : {198, 199}) {  // beside the block and its array
    Kept kept;
    uint32_t base = kept.base();
    for (int i = 0; i < count; ++i) kept.keep(kept.view_of(base, 1));
    EXPECT_EQ(kept.is_view(), count == 198) << count;
  }
}

}  // namespace
}  // namespace tenure::analyze
