// The dominator tree against an independent, slower algorithm on random graphs, and against trees worked out by hand.
#include "analyze/heap/dominators.h"

#include <gtest/gtest.h>

#include <random>

namespace tenure::analyze {
namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

Graph graph_of(uint32_t nodes, const Edges& edges) {
  Graph graph;
  graph.first.assign(nodes + 1, 0);
  for (const auto& [from, to] : edges) ++graph.first[from + 1];
  for (uint32_t v = 0; v < nodes; ++v) graph.first[v + 1] += graph.first[v];
  graph.targets.resize(edges.size());
  std::vector<uint32_t> next(graph.first.begin(), graph.first.end() - 1);
  for (const auto& [from, to] : edges) graph.targets[next[from]++] = to;
  return graph;
}

// Cooper, Harvey and Kennedy: intersect the dominators of the predecessors until nothing changes.
class SlowDominators {
 public:
  explicit SlowDominators(const Graph& graph)
      : before_(reversed(graph)), number_(graph.size(), kNone), dominator_(graph.size(), kNone) {
    visit(graph, 0);
    dominator_[0] = 0;
    while (improve()) {
    }
  }
  uint32_t of(uint32_t node) const { return dominator_[node] == kNone ? 0 : dominator_[node]; }

 private:
  static constexpr uint32_t kNone = ~0u;

  void visit(const Graph& graph, uint32_t node) {
    number_[node] = 0;
    for (uint32_t target : graph.of(node)) {
      if (number_[target] == kNone) visit(graph, target);
    }
    number_[node] = static_cast<uint32_t>(postorder_.size());
    postorder_.push_back(node);
  }

  bool improve() {
    bool is_changed = false;
    for (size_t i = postorder_.size() - 1; i-- > 0;) {
      uint32_t node = postorder_[i], found = kNone;
      for (uint32_t p : before_.of(node)) {
        if (dominator_[p] != kNone) found = found == kNone ? p : meet(p, found);
      }
      is_changed |= dominator_[node] != found;
      dominator_[node] = found;
    }
    return is_changed;
  }

  uint32_t meet(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = dominator_[a];
      while (number_[b] < number_[a]) b = dominator_[b];
    }
    return a;
  }

  Graph before_;
  std::vector<uint32_t> number_, postorder_, dominator_;
};

TEST(Dominators, AgreeWithTheSlowAlgorithmOnRandomGraphs) {
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    uint32_t nodes = 1 + random() % 60, edges = random() % (3 * nodes);
    Edges list;
    for (uint32_t i = 0; i < edges; ++i) list.emplace_back(random() % nodes, random() % nodes);
    Graph graph = graph_of(nodes, list);
    DominatorTree tree = dominators(graph);
    SlowDominators slow(graph);
    for (uint32_t v = 0; v < nodes; ++v) ASSERT_EQ(tree.parent[v], slow.of(v)) << seed << " " << v;
  }
}

TEST(Dominators, PreorderHasParentsBeforeTheirChildren) {
  std::mt19937 random(7);
  Edges list;
  for (uint32_t i = 0; i < 5000; ++i) list.emplace_back(random() % 2000, random() % 2000);
  DominatorTree tree = dominators(graph_of(2000, list));
  std::vector<bool> is_seen(2000);
  is_seen[0] = true;
  for (size_t i = 1; i < tree.preorder.size(); ++i) {
    EXPECT_TRUE(is_seen[tree.parent[tree.preorder[i]]]);
    is_seen[tree.preorder[i]] = true;
  }
}

TEST(Dominators, ADiamondIsDominatedByItsTop) {
  DominatorTree tree = dominators(graph_of(5, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}));
  EXPECT_EQ(tree.parent, (std::vector<uint32_t>{0, 0, 1, 1, 1}));
}

TEST(Dominators, RetainedBytesAreThoseOfEverythingBelow) {
  DominatorTree tree = dominators(graph_of(5, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}));
  std::vector<uint64_t> bytes{0, 1, 10, 100, 1000};
  tree.sum_up(bytes);
  EXPECT_EQ(bytes, (std::vector<uint64_t>{1111, 1111, 10, 100, 1000}));
}

TEST(Dominators, AMillionNodesInOneListNeedNoDeepStack) {
  Edges list;
  for (uint32_t v = 0; v + 1 < 1000000; ++v) list.emplace_back(v, v + 1);
  DominatorTree tree = dominators(graph_of(1000000, list));
  EXPECT_EQ(tree.parent[999999], 999998u);
}

TEST(Dominators, WhatCannotBeReachedHasNoDominator) {
  DominatorTree tree = dominators(graph_of(3, {{1, 2}}));
  EXPECT_EQ(tree.preorder, std::vector<uint32_t>{0});
  EXPECT_EQ(tree.parent[2], 0u);
}

}  // namespace
}  // namespace tenure::analyze
