// symbolize/control_flow.cpp: see the header.
#include "symbolize/control_flow.h"

#include <algorithm>

namespace tenure::symbolize {
namespace {

using Blocks = std::vector<size_t>;
constexpr size_t kNone = ~size_t{0};

std::vector<Blocks> predecessors_of(const std::vector<BasicBlock>& graph) {
  std::vector<Blocks> predecessors(graph.size());
  for (size_t block = 0; block < graph.size(); ++block) {
    for (const size_t next : graph[block].successors) predecessors[next].push_back(block);
  }
  return predecessors;
}

// The targets of a jump table are not known, but they are blocks that nothing else leads to.
void connect_unknown_jumps(std::vector<BasicBlock>& graph) {
  const std::vector<Blocks> predecessors = predecessors_of(graph);
  for (BasicBlock& block : graph) {
    if (!block.ends_in_unknown_jump) continue;
    for (size_t target = 1; target < graph.size(); ++target) {
      if (predecessors[target].empty()) block.successors.push_back(target);
    }
  }
}

// Tarjan's algorithm with its own stack, since generated functions may have very many blocks.
class Components {
 public:
  // Only blocks of `subset`, and no edges into `closed` (kNone: all edges).
  Components(const std::vector<BasicBlock>& graph, const Blocks& subset, size_t closed)
      : graph_(graph), closed_(closed), visits_(graph.size()) {
    for (const size_t block : subset) visits_[block].is_member = true;
    for (const size_t block : subset) {
      if (visits_[block].order == 0) search(block);
    }
  }

  std::vector<Blocks> cycles;

 private:
  struct Visit {
    size_t order = 0, lowest = 0, next_successor = 0;
    bool is_member = false, is_open = false;
  };

  void enter(size_t block) {
    visits_[block].order = visits_[block].lowest = ++count_;
    visits_[block].is_open = true;
    open_.push_back(block);
    path_.push_back(block);
  }

  void search(size_t root) {
    enter(root);
    while (!path_.empty()) {
      const size_t block = path_.back();
      Visit& visit = visits_[block];
      if (visit.next_successor < graph_[block].successors.size()) {
        follow(visit, graph_[block].successors[visit.next_successor++]);
      } else {
        leave(block);
      }
    }
  }

  void follow(Visit& from, size_t target) {
    const Visit& to = visits_[target];
    if (!to.is_member || target == closed_) return;
    if (to.order == 0) {
      enter(target);
    } else if (to.is_open) {
      from.lowest = std::min(from.lowest, to.order);
    }
  }

  void leave(size_t block) {
    path_.pop_back();
    const Visit& visit = visits_[block];
    if (!path_.empty())
      visits_[path_.back()].lowest = std::min(visits_[path_.back()].lowest, visit.lowest);
    if (visit.lowest != visit.order) return;
    Blocks component;
    size_t member;
    do {
      member = open_.back();
      open_.pop_back();
      visits_[member].is_open = false;
      component.push_back(member);
    } while (member != block);
    if (component.size() > 1 || leads_to_itself(block)) cycles.push_back(std::move(component));
  }

  bool leads_to_itself(size_t block) const {
    const Blocks& next = graph_[block].successors;
    return block != closed_ && std::find(next.begin(), next.end(), block) != next.end();
  }

  const std::vector<BasicBlock>& graph_;
  size_t closed_;
  std::vector<Visit> visits_;
  Blocks open_, path_;
  size_t count_ = 0;
};

class LoopNest {
 public:
  explicit LoopNest(const std::vector<BasicBlock>& graph)
      : graph_(graph), predecessors_(predecessors_of(graph)) {
    Blocks all(graph.size());
    for (size_t block = 0; block < all.size(); ++block) all[block] = block;
    add_cycles(all, kNone, 0);
  }

  std::vector<BlockLoop> loops;

 private:
  static constexpr int kMaxDepth = 64;

  void add_cycles(const Blocks& subset, size_t closed, int depth) {
    for (Blocks& cycle : Components(graph_, subset, closed).cycles) {
      std::sort(cycle.begin(), cycle.end());
      const size_t header = header_of(cycle);
      loops.push_back({header, with_orphans(cycle), depth});
      if (depth < kMaxDepth) add_cycles(cycle, header, depth + 1);
    }
  }

  // Nothing is known to lead there: an exception handler, or padding before an aligned block.
  bool is_orphan(size_t block) const { return block != 0 && predecessors_[block].empty(); }

  // The first block that is entered from outside.
  size_t header_of(const Blocks& cycle) const {
    for (const size_t block : cycle) {
      const bool is_entered =
          std::any_of(predecessors_[block].begin(), predecessors_[block].end(), [&](size_t from) {
            return !is_orphan(from) && !std::binary_search(cycle.begin(), cycle.end(), from);
          });
      if (block == 0 || is_entered) return block;
    }
    return cycle.front();
  }

  // Exception handlers inside the loop: nothing leads to them, and they go on in it.
  Blocks with_orphans(const Blocks& cycle) const {
    Blocks members = cycle;
    for (size_t i = 0; i < members.size(); ++i) {
      for (const size_t from : predecessors_[members[i]]) {
        if (is_orphan(from) && std::find(members.begin(), members.end(), from) == members.end())
          members.push_back(from);
      }
    }
    std::sort(members.begin(), members.end());
    return members;
  }

  const std::vector<BasicBlock>& graph_;
  std::vector<Blocks> predecessors_;
};

}  // namespace

std::vector<BlockLoop> find_loops(std::vector<BasicBlock> blocks) {
  connect_unknown_jumps(blocks);
  return std::move(LoopNest(blocks).loops);
}

}  // namespace tenure::symbolize
