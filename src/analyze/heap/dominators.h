// analyze/heap/dominators.h: the dominator tree of a graph: which node every way from the root to another must pass.
// World: offline. Pure. Lengauer-Tarjan with path compression, O(m log n), iterative: a heap may be one long list.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace tenure::analyze {

// Successors of node v: targets[first[v]] up to targets[first[v + 1]]. Node 0 is the root.
struct Graph {
  std::vector<uint32_t> first;  // one more than there are nodes
  std::vector<uint32_t> targets;

  uint32_t size() const { return static_cast<uint32_t>(first.size()) - 1; }
  std::span<const uint32_t> of(uint32_t node) const {
    return {targets.data() + first[node], targets.data() + first[node + 1]};
  }
};

Graph reversed(const Graph& graph);

struct DominatorTree {
  std::vector<uint32_t>
      parent;  // the immediate dominator; 0 for the root and for what cannot be reached
  std::vector<uint32_t>
      preorder;  // every node that can be reached; parents of the tree before their children

  // Adds what each node has to its parent, from the leaves up: weight[v] becomes what v dominates.
  void sum_up(std::vector<uint64_t>& weight) const;
};

DominatorTree dominators(const Graph& graph);

}  // namespace tenure::analyze
