#include "inproc/snapshot/pruned_graph.h"

namespace tenure::inproc {
namespace {

constexpr uint32_t kMostNodes = 500000;  // beyond, the smallest blocks are left out
constexpr uint32_t kDropped = ~0u;

class Pruning {
 public:
  Pruning(const HeapGraph& heap, const BlockIndex& blocks, PrunedGraph& out) noexcept
      : heap_(heap), blocks_(blocks), out_(out), count_(static_cast<uint32_t>(heap.nodes.size())) {}

  void run() noexcept {
    if (!find_classes() || !reach_without_instances() || !turn_edges() ||
        !new_number_.extend_to(count_))
      return;
    uint64_t smallest = 1;
    while (keep_ancestors(smallest) > kMostNodes && smallest < 1 << 20)
      smallest = smallest < 1024 ? 4096 : smallest * 4;
    number_anew();
    copy_edges();
    find_shortest_ways();
  }

 private:
  bool find_classes() noexcept {
    if (!class_of_type_.extend_to(heap_.types.size())) return false;
    for (size_t i = 0; i < heap_.types.size(); ++i) {
      auto type = reinterpret_cast<uint64_t>(heap_.types[i].type);
      class_of_type_[i] = type ? heap_.ids.find(type) : kDropped;
    }
    return true;
  }

  bool leads_to_its_class(uint32_t from, uint32_t to) const noexcept {
    return class_of_type_[heap_.nodes[from].type] == to;
  }

  bool is_left_out(uint32_t from, uint32_t to) const noexcept {
    return leads_to_its_class(from, to) && is_reached_[to];
  }

  bool reach_without_instances() noexcept {
    if (!is_reached_.extend_to(count_)) return false;
    Column<uint32_t> stack;
    stack.push(kSuperRoot);
    is_reached_[kSuperRoot] = 1;
    while (stack.size() > 0) {
      uint32_t node = stack[stack.size() - 1];
      stack.clear_last();
      const uint32_t* edges = heap_.edges_of(node);
      for (uint32_t e = 0; e < heap_.nodes[node].edge_count; ++e) {
        if (is_reached_[edges[e]] || leads_to_its_class(node, edges[e])) continue;
        is_reached_[edges[e]] = 1;
        stack.push(edges[e]);
      }
    }
    return true;
  }

  // Edges by target.
  bool turn_edges() noexcept {
    if (!first_source_.extend_to(count_ + 1) || !sources_.extend_to(heap_.edges.size()))
      return false;
    for (size_t e = 0; e < heap_.edges.size(); ++e) ++first_source_[heap_.edges[e] + 1];
    for (uint32_t i = 0; i < count_; ++i) first_source_[i + 1] += first_source_[i];
    Column<uint32_t> at;
    if (!at.extend_to(count_)) return false;
    for (uint32_t i = 0; i < count_; ++i) at[i] = first_source_[i];
    for (uint32_t i = 0; i < count_; ++i) {
      const uint32_t* edges = heap_.edges_of(i);
      for (uint32_t e = 0; e < heap_.nodes[i].edge_count; ++e) {
        // One left out gives the root its place, which is kept anyway.
        sources_[at[edges[e]]++] = is_left_out(i, edges[e]) ? kSuperRoot : i;
      }
    }
    return true;
  }

  uint32_t keep_ancestors(uint64_t smallest) noexcept {
    for (uint32_t i = 0; i < count_; ++i) new_number_[i] = kDropped;
    uint32_t kept = 0;
    Column<uint32_t> stack;
    auto keep = [&](uint32_t node) {
      if (new_number_[node] != kDropped) return;
      new_number_[node] = 0;
      ++kept;
      stack.push(node);
    };
    keep(kSuperRoot);
    for (uint32_t i = 0; i < heap_.buffers.size(); ++i) {
      if (heap_.buffers[i] && blocks_.weight(i) >= smallest) keep(heap_.buffers[i] - 1);
    }
    while (stack.size() > 0) {
      uint32_t node = stack[stack.size() - 1];
      stack.clear_last();
      for (uint32_t s = first_source_[node]; s < first_source_[node + 1]; ++s) keep(sources_[s]);
    }
    return kept;
  }

  void number_anew() noexcept {
    for (uint32_t i = 0; i < count_; ++i) {
      if (new_number_[i] == kDropped) continue;
      new_number_[i] = out_.size();
      out_.heap_node.push(i);
    }
  }

  void copy_edges() noexcept {
    Column<uint32_t> last_source;  // + 1, per new number: an edge twice is written once
    if (!last_source.extend_to(out_.size())) return;
    for (uint32_t i = 0; i < out_.size(); ++i) {
      out_.first_edge.push(static_cast<uint32_t>(out_.edges.size()));
      uint32_t node = out_.heap_node[i];
      const uint32_t* edges = heap_.edges_of(node);
      for (uint32_t e = 0; e < heap_.nodes[node].edge_count; ++e) {
        uint32_t to = new_number_[edges[e]];
        if (to == kDropped || last_source[to] == i + 1 || is_left_out(node, edges[e])) continue;
        last_source[to] = i + 1;
        out_.edges.push(to);
      }
    }
    out_.first_edge.push(static_cast<uint32_t>(out_.edges.size()));
  }

  void find_shortest_ways() noexcept {
    if (!out_.parent.extend_to(out_.size())) return;
    for (uint32_t& parent : out_.parent) parent = ~0u;
    Column<uint32_t> queue;
    queue.push(0);
    out_.parent[0] = 0;
    for (size_t i = 0; i < queue.size(); ++i) {
      uint32_t node = queue[i];
      for (uint32_t e = out_.first_edge[node]; e < out_.first_edge[node + 1]; ++e) {
        uint32_t to = out_.edges[e];
        if (out_.parent[to] != ~0u) continue;
        out_.parent[to] = node;
        queue.push(to);
      }
    }
  }

  const HeapGraph& heap_;
  const BlockIndex& blocks_;
  PrunedGraph& out_;
  uint32_t count_;
  Column<uint32_t>
      class_of_type_;  // number of the type -> node of the class, kDropped if it is no node
  Column<uint8_t> is_reached_;  // by other ways than from an instance to its class
  Column<uint32_t> first_source_, sources_, new_number_;
};

}  // namespace

void prune(const HeapGraph& heap, const BlockIndex& blocks, PrunedGraph& pruned) noexcept {
  Pruning(heap, blocks, pruned).run();
}

}  // namespace tenure::inproc
