#include "analyze/heap/cycle.h"

#include <algorithm>
#include <unordered_map>

#include "analyze/heap/holder_path.h"
#include "analyze/heap/rules.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;
using Among = std::unordered_map<uint32_t, bool>;

// From a node to itself; empty if it leads nowhere. An object and its half in C++ lead to each other: that is no cycle.
std::vector<uint32_t> way_back(const HeapGraph& heap, uint32_t node, const Among& among) {
  std::vector<uint32_t> queue{node};
  std::unordered_map<uint32_t, uint32_t> reached_from;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (uint32_t to : heap.snapshot().targets(queue[i])) {
      auto came_from = reached_from.find(queue[i]);
      bool is_other_half =
          came_from != reached_from.end() && came_from->second == to &&
          (heap.kind(to) == NodeKind::native) != (heap.kind(queue[i]) == NodeKind::native);
      if (is_other_half || !among.contains(to)) continue;
      if (!reached_from.emplace(to, queue[i]).second) continue;
      if (to != node) {
        queue.push_back(to);
        continue;
      }
      std::vector<uint32_t> way;
      for (uint32_t v = queue[i]; v != node; v = reached_from[v]) way.push_back(v);
      way.push_back(node);
      std::reverse(way.begin(), way.end());
      return way;
    }
  }
  return {};
}

}  // namespace

// Back from the block, the first node that leads to itself.
std::vector<uint32_t> find_cycle(const HeapGraph& heap, const Retention& retention) {
  if (retention.down.empty()) return {};
  std::vector<uint32_t> queue{retention.down.back()};
  Among among{{queue[0], true}};
  for (size_t i = 0; i < queue.size() && queue.size() < 2000; ++i) {
    for (uint32_t from : heap.referrers(queue[i])) {
      bool is_object = heap.kind(from) == NodeKind::object || heap.kind(from) == NodeKind::native;
      if (is_object && among.emplace(from, true).second) queue.push_back(from);
    }
  }
  for (size_t i = 0; i < queue.size() && i < 200; ++i) {
    std::vector<uint32_t> cycle = way_back(heap, queue[i], among);
    if (!cycle.empty()) return cycle;
  }
  return {};
}

CycleText cycle_text(const HeapGraph& heap, const std::vector<uint32_t>& cycle) {
  CycleText told;
  for (size_t i = 0; i < cycle.size(); ++i) {
    uint32_t at = cycle[i], next = cycle[(i + 1) % cycle.size()];
    uint32_t from = heap.owner_of(at);
    told.is_hidden |= heap.type(from) == "numpy.ndarray";
    Label label = parse_label(heap.label(at, next));
    if (label.kind == LabelKind::inner && from == at) continue;
    bool is_named = label.kind == LabelKind::attribute || label.kind == LabelKind::key;
    bool is_graph = heap.is_gradient_node(from);
    told.has_graph |= is_graph;
    if (!is_named && !is_graph && (heap.is_container(from) || heap.is_data_owner(from))) continue;
    std::string part = short_type(heap.type(from)) + (is_named ? "." + label.name : "");
    if (told.parts.size() + part.size() > kLongestCycle) break;
    told.parts += (told.parts.empty() ? "" : " -> ") + part;
    bool is_object = !heap.is_container(from) && !heap.is_class(from) && !is_graph;
    if (is_named && is_object) told.closing = part;
  }
  return told;
}

}  // namespace tenure::analyze
