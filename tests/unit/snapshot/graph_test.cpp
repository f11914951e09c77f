// Orphans and pruning on small graphs made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "inproc/snapshot/orphans.h"
#include "inproc/snapshot/pruned_graph.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;

class Graph : public testing::Test {
 protected:
  Graph() {
    heap_.types.push({});
    heap_.types.push({});
    add(NodeKind::super_root);
    add(NodeKind::native_root);
    add(NodeKind::garbage_root);
  }

  uint32_t add(NodeKind kind, int32_t excess = 0) {
    HeapNode node{};
    node.kind = static_cast<uint8_t>(kind);
    node.type = kind == NodeKind::object;
    node.excess = excess;
    heap_.nodes.push(node);
    return static_cast<uint32_t>(heap_.nodes.size() - 1);
  }
  uint32_t object(int32_t excess = 0) { return add(NodeKind::object, excess); }
  uint32_t buffer(uint64_t bytes) {
    blocks_.add({0x1000 * (blocks_.size() + 1), bytes, 0, SiteId{1}, 1});
    uint32_t node = add(NodeKind::buffer);
    heap_.buffers.push(node + 1);
    return node;
  }
  void lead(uint32_t from, std::initializer_list<uint32_t> to) {
    heap_.nodes[from].first_edge = static_cast<uint32_t>(heap_.edges.size());
    heap_.nodes[from].edge_count = static_cast<uint32_t>(to.size());
    for (uint32_t node : to) heap_.edges.push(node);
  }
  std::vector<uint32_t> led_to(uint32_t from) {
    const uint32_t* edges = heap_.edges_of(from);
    return {edges, edges + heap_.nodes[from].edge_count};
  }

  HeapGraph heap_;
  BlockIndex blocks_;
};

TEST_F(Graph, AnUnreachedObjectWithUnexplainedReferencesIsHeldByNativeCode) {
  uint32_t reached = object(5), held = object(1), below = object(0);
  lead(kSuperRoot, {kNativeRoot, kGarbageRoot, reached});
  lead(held, {below});
  adopt_orphans(heap_);
  EXPECT_EQ(led_to(kNativeRoot), std::vector<uint32_t>{held});
  EXPECT_TRUE(led_to(kGarbageRoot).empty());
}

TEST_F(Graph, AnArrayThatNativeCodeHoldsForAnotherWithItsBlockIsNoHolder) {
  uint32_t made_of_it = object(), block = buffer(100), array = object(1), alone = object(1);
  lead(kSuperRoot, {kNativeRoot, kGarbageRoot, made_of_it});
  lead(made_of_it, {block});
  lead(array, {block});
  lead(alone, {buffer(100)});
  adopt_orphans(heap_);
  EXPECT_EQ(led_to(kNativeRoot), std::vector<uint32_t>{alone});
  EXPECT_TRUE(led_to(kGarbageRoot).empty());
}

TEST_F(Graph, ACycleIsGarbageWithOneEntryThatLeadsToAllOfIt) {
  uint32_t payload = object(), a = object(), b = object();
  lead(kSuperRoot, {kNativeRoot, kGarbageRoot});
  lead(a, {b, payload});
  lead(b, {a});
  adopt_orphans(heap_);
  ASSERT_EQ(led_to(kGarbageRoot).size(), 1u);
  EXPECT_NE(led_to(kGarbageRoot)[0], payload);
}

TEST_F(Graph, OurOwnObjectsAreNobodysHolders) {
  uint32_t own = object(1);
  heap_.nodes[own].flags |= kSilent;
  lead(kSuperRoot, {kNativeRoot, kGarbageRoot});
  adopt_orphans(heap_);
  EXPECT_TRUE(led_to(kNativeRoot).empty());
  EXPECT_TRUE(led_to(kGarbageRoot).empty());
}

TEST_F(Graph, OnlyAncestorsOfBlocksAreKeptAndEachEdgeOnce) {
  uint32_t module = object(), list = object(), unrelated = object(), data = buffer(1 << 20);
  lead(kSuperRoot, {module, unrelated});
  lead(module, {list, unrelated, list});
  lead(list, {data, data});
  blocks_.seal();
  PrunedGraph pruned;
  prune(heap_, blocks_, pruned);
  ASSERT_EQ(pruned.size(), 4u);
  EXPECT_EQ(pruned.heap_node[1], module);
  EXPECT_EQ(pruned.edges.size(), 3u);
  EXPECT_EQ(pruned.parent[3], 2u);
}

TEST_F(Graph, AnInstanceIsNoAncestorOfWhatItsModuleHoldsUnlessItAloneHoldsItsClass) {
  char named[1] = {}, hidden[1] = {};  // two classes, by address
  for (const char* type : {named, hidden}) {
    HeapType t{};
    t.type = type;
    heap_.types.push(t);
  }
  uint32_t module = object(), list = object(), one = object(), other = object();
  uint32_t named_class = object(), hidden_class = object(), data = buffer(4096), more = buffer(64);
  bool fresh;
  *heap_.ids.find_or_add(reinterpret_cast<uint64_t>(named), &fresh) = named_class;
  *heap_.ids.find_or_add(reinterpret_cast<uint64_t>(hidden), &fresh) = hidden_class;
  heap_.nodes[one].type = 2;
  heap_.nodes[other].type = 3;
  lead(kSuperRoot, {module});
  lead(module, {list, named_class});
  lead(list, {one, other});
  lead(one, {named_class});
  lead(other, {hidden_class});
  lead(named_class, {data});
  lead(hidden_class, {more});
  blocks_.seal();
  PrunedGraph pruned;
  prune(heap_, blocks_, pruned);
  std::vector<uint32_t> kept(pruned.heap_node.begin(), pruned.heap_node.end());
  EXPECT_THAT(kept, testing::ElementsAre(kSuperRoot, module, list, other, named_class, hidden_class,
                                         data, more));
}

}  // namespace
}  // namespace tenure::inproc
