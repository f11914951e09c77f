#include "inproc/snapshot/pruned_graph.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;

constexpr uint32_t kMostNodes = 500000;  // beyond, the smallest blocks are left out
constexpr uint32_t kDropped = ~0u;

class Pruning {
 public:
  Pruning(const HeapGraph& heap, const BlockIndex& blocks, PrunedGraph& out) noexcept
      : heap_(heap), blocks_(blocks), out_(out), count_(static_cast<uint32_t>(heap.nodes.size())) {}

  void run() noexcept {
    if (!turn_edges() || !new_number_.extend_to(count_)) return;
    uint64_t smallest = 1;
    while (keep_ancestors(smallest) > kMostNodes && smallest < 1 << 20)
      smallest = smallest < 1024 ? 4096 : smallest * 4;
    number_anew();
    copy_edges();
    find_shortest_ways();
  }

 private:
  // Edges by target.
  bool turn_edges() noexcept {
    if (!first_source_.extend_to(count_ + 1) || !sources_.extend_to(heap_.edges.size()))
      return false;
    for (uint32_t to : const_cast<HeapGraph&>(heap_).edges) ++first_source_[to + 1];
    for (uint32_t i = 0; i < count_; ++i) first_source_[i + 1] += first_source_[i];
    Column<uint32_t> at;
    if (!at.extend_to(count_)) return false;
    for (uint32_t i = 0; i < count_; ++i) at[i] = first_source_[i];
    for (uint32_t i = 0; i < count_; ++i) {
      const uint32_t* edges = heap_.edges_of(i);
      for (uint32_t e = 0; e < heap_.nodes[i].edge_count; ++e) sources_[at[edges[e]]++] = i;
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
      if (heap_.buffers[i] && blocks_[i].bytes >= smallest) keep(heap_.buffers[i] - 1);
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
        if (to == kDropped || last_source[to] == i + 1) continue;
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
  Column<uint32_t> first_source_, sources_, new_number_;
};

}  // namespace

void prune(const HeapGraph& heap, const BlockIndex& blocks, PrunedGraph& pruned) noexcept {
  Pruning(heap, blocks, pruned).run();
}

}  // namespace tenure::inproc
