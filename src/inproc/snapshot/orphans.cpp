#include "inproc/snapshot/orphans.h"

namespace tenure::inproc {
namespace {

class Adoption {
 public:
  explicit Adoption(HeapGraph& graph) noexcept : graph_(graph) {
    is_reached_.extend_to(graph.nodes.size());
  }

  void run() noexcept {
    if (is_reached_.size() < graph_.nodes.size()) return;
    is_reached_[kNativeRoot] = is_reached_[kGarbageRoot] = 1;
    reach(kSuperRoot);
    adopt_native();
    adopt_garbage();
  }

 private:
  bool is_holder(uint32_t node) const noexcept {
    const HeapNode& n = graph_.nodes[node];
    return (n.type != 0 || n.native_type != 0) && !(n.flags & kSilent);
  }

  // Native code holds the array for the sake of another one that has its block: what JAX or torch made of it without a
  // copy. That one is the holder.
  bool shares_reached_block(uint32_t node) const noexcept {
    const uint32_t* edges = graph_.edges_of(node);
    for (uint32_t i = 0; i < graph_.nodes[node].edge_count; ++i) {
      bool is_block = graph_.nodes[edges[i]].kind == static_cast<uint8_t>(ledger::NodeKind::buffer);
      if (is_block && is_reached_[edges[i]]) return true;
    }
    return false;
  }

  void reach(uint32_t from) noexcept {
    if (is_reached_[from]) return;
    is_reached_[from] = 1;
    stack_.clear();
    stack_.push(from);
    while (stack_.size() > 0) {
      uint32_t node = pop(stack_);
      const uint32_t* edges = graph_.edges_of(node);
      for (uint32_t i = 0; i < graph_.nodes[node].edge_count; ++i) {
        if (is_reached_[edges[i]]) continue;
        is_reached_[edges[i]] = 1;
        stack_.push(edges[i]);
      }
    }
  }

  void adopt_native() noexcept {
    Column<uint32_t> held, sharing;
    for (uint32_t i = kFirstOther; i < graph_.nodes.size(); ++i) {
      if (is_reached_[i] || !is_holder(i) || graph_.nodes[i].excess <= 0) continue;
      (shares_reached_block(i) ? sharing : held).push(i);
    }
    for (uint32_t node : sharing) is_reached_[node] = 1;
    for (uint32_t node : held) reach(node);
    lead_from(kNativeRoot, held);
  }

  // In the order in which a depth-first search leaves them, the last one left of each group leads to all of it.
  void adopt_garbage() noexcept {
    Column<uint32_t> left, entries;
    leave_in_order(left);
    for (size_t i = left.size(); i-- > 0;) {
      if (is_reached_[left[i]] == 1) continue;
      entries.push(left[i]);
      reach_garbage(left[i]);
    }
    lead_from(kGarbageRoot, entries);
  }

  struct Step {
    uint32_t node;
    uint32_t next_edge;
  };

  void leave_in_order(Column<uint32_t>& left) noexcept {
    Column<Step> way;
    for (uint32_t i = kFirstOther; i < graph_.nodes.size(); ++i) {
      if (is_reached_[i] || !is_holder(i)) continue;
      is_reached_[i] = kSeen;
      way.push({i, 0});
      while (way.size() > 0) {
        Step& step = way[way.size() - 1];
        if (step.next_edge == graph_.nodes[step.node].edge_count) {
          left.push(step.node);
          way.clear_last();
          continue;
        }
        uint32_t to = graph_.edges_of(step.node)[step.next_edge++];
        if (is_reached_[to]) continue;
        is_reached_[to] = kSeen;
        way.push({to, 0});
      }
    }
  }

  void reach_garbage(uint32_t from) noexcept {
    is_reached_[from] = 1;
    stack_.clear();
    stack_.push(from);
    while (stack_.size() > 0) {
      uint32_t node = pop(stack_);
      const uint32_t* edges = graph_.edges_of(node);
      for (uint32_t i = 0; i < graph_.nodes[node].edge_count; ++i) {
        if (is_reached_[edges[i]] != kSeen) continue;
        is_reached_[edges[i]] = 1;
        stack_.push(edges[i]);
      }
    }
  }

  static uint32_t pop(Column<uint32_t>& stack) noexcept {
    uint32_t last = stack[stack.size() - 1];
    stack.clear_last();
    return last;
  }

  void lead_from(uint32_t root, Column<uint32_t>& to) noexcept {
    graph_.nodes[root].first_edge = static_cast<uint32_t>(graph_.edges.size());
    graph_.nodes[root].edge_count = static_cast<uint32_t>(to.size());
    for (uint32_t node : to) graph_.edges.push(node);
  }

  static constexpr uint8_t kSeen = 2;  // an orphan the search has come to

  HeapGraph& graph_;
  Column<uint8_t> is_reached_;
  Column<uint32_t> stack_;
};

}  // namespace

void adopt_orphans(HeapGraph& graph) noexcept { Adoption(graph).run(); }

}  // namespace tenure::inproc
