#include "analyze/heap/dominators.h"

#include <utility>

namespace tenure::analyze {
namespace {

constexpr uint32_t kNone = ~0u;

// Nodes by the order of a depth-first walk from the root; everything else in here is said in these numbers.
struct Walk {
  std::vector<uint32_t> number;  // of each node; kNone: not reached
  std::vector<uint32_t> node;    // by number
  std::vector<uint32_t> parent;  // by number
};

Walk walk_depth_first(const Graph& graph) {
  Walk walk;
  walk.number.assign(graph.size(), kNone);
  std::vector<std::pair<uint32_t, uint32_t>> path;  // number, next edge
  auto enter = [&](uint32_t node, uint32_t parent) {
    walk.number[node] = static_cast<uint32_t>(walk.node.size());
    path.emplace_back(walk.number[node], graph.first[node]);
    walk.node.push_back(node);
    walk.parent.push_back(parent);
  };
  enter(0, 0);
  while (!path.empty()) {
    auto& [number, edge] = path.back();
    if (edge == graph.first[walk.node[number] + 1]) {
      path.pop_back();
      continue;
    }
    uint32_t target = graph.targets[edge++];
    if (walk.number[target] == kNone) enter(target, number);
  }
  return walk;
}

// Predecessors in numbers of the walk.
Graph predecessors(const Graph& graph, const Walk& walk) {
  auto count = static_cast<uint32_t>(walk.node.size());
  Graph result;
  result.first.assign(count + 1, 0);
  for (uint32_t v = 0; v < count; ++v) {
    for (uint32_t target : graph.of(walk.node[v])) ++result.first[walk.number[target] + 1];
  }
  for (uint32_t v = 0; v < count; ++v) result.first[v + 1] += result.first[v];
  result.targets.resize(result.first[count]);
  std::vector<uint32_t> next(result.first.begin(), result.first.end() - 1);
  for (uint32_t v = 0; v < count; ++v) {
    for (uint32_t target : graph.of(walk.node[v])) result.targets[next[walk.number[target]]++] = v;
  }
  return result;
}

// The forest of Lengauer and Tarjan: for a linked node, the one with the least semidominator on the way to its tree's root.
class Forest {
 public:
  explicit Forest(uint32_t count) : links_(count) {
    for (uint32_t v = 0; v < count; ++v) links_[v] = {kNone, v, v};
  }

  void set_semi(uint32_t v, uint32_t semi) { links_[v].least_semi = semi; }
  void link(uint32_t parent, uint32_t v) { links_[v].ancestor = parent; }

  struct Least {
    uint32_t node, semi;
  };
  Least least(uint32_t v) {
    if (links_[v].ancestor != kNone) compress(v);
    return {links_[v].least, links_[v].least_semi};
  }

 private:
  struct Link {  // together, since they are read together
    uint32_t ancestor, least, least_semi;
  };

  void compress(uint32_t v) {
    way_.clear();
    for (; links_[links_[v].ancestor].ancestor != kNone; v = links_[v].ancestor) way_.push_back(v);
    for (; !way_.empty(); way_.pop_back()) {
      Link& link = links_[way_.back()];
      const Link& above = links_[link.ancestor];
      if (above.least_semi < link.least_semi) {
        link.least = above.least;
        link.least_semi = above.least_semi;
      }
      link.ancestor = above.ancestor;
    }
  }

  std::vector<Link> links_;
  std::vector<uint32_t> way_;
};

// Immediate dominators in numbers of the walk.
std::vector<uint32_t> immediate_dominators(const Walk& walk, const Graph& before) {
  auto count = static_cast<uint32_t>(walk.node.size());
  Forest forest(count);
  std::vector<uint32_t> semi(count), dominator(count, 0), bucket(count, kNone), next(count, kNone);
  for (uint32_t v = count; v-- > 1;) {
    semi[v] = v;
    for (uint32_t p : before.of(v)) {
      uint32_t candidate = p <= v ? p : forest.least(p).semi;  // not linked yet: it is its own
      semi[v] = candidate < semi[v] ? candidate : semi[v];
    }
    forest.set_semi(v, semi[v]);
    next[v] = bucket[semi[v]];
    bucket[semi[v]] = v;
    uint32_t parent = walk.parent[v];
    forest.link(parent, v);
    for (uint32_t w = bucket[parent]; w != kNone; w = next[w]) {
      Forest::Least least = forest.least(w);
      dominator[w] = least.semi < parent ? least.node : parent;
    }
    bucket[parent] = kNone;
  }
  for (uint32_t v = 1; v < count; ++v) {
    if (dominator[v] != semi[v]) dominator[v] = dominator[dominator[v]];
  }
  return dominator;
}

}  // namespace

Graph reversed(const Graph& graph) {
  Graph result;
  uint32_t count = graph.size();
  result.first.assign(count + 1, 0);
  for (uint32_t target : graph.targets) ++result.first[target + 1];
  for (uint32_t v = 0; v < count; ++v) result.first[v + 1] += result.first[v];
  result.targets.resize(graph.targets.size());
  std::vector<uint32_t> next(result.first.begin(), result.first.end() - 1);
  for (uint32_t v = 0; v < count; ++v) {
    for (uint32_t target : graph.of(v)) result.targets[next[target]++] = v;
  }
  return result;
}

void DominatorTree::sum_up(std::vector<uint64_t>& weight) const {
  for (size_t i = preorder.size(); i-- > 1;) weight[parent[preorder[i]]] += weight[preorder[i]];
}

DominatorTree dominators(const Graph& graph) {
  Walk walk = walk_depth_first(graph);
  std::vector<uint32_t> dominator = immediate_dominators(walk, predecessors(graph, walk));
  DominatorTree tree;
  tree.parent.assign(graph.size(), 0);
  for (uint32_t v = 1; v < walk.node.size(); ++v)
    tree.parent[walk.node[v]] = walk.node[dominator[v]];
  tree.preorder = std::move(walk.node);
  return tree;
}

}  // namespace tenure::analyze
