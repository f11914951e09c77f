#include "analyze/heap/waiting_class.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyze/heap/rules.h"

namespace tenure::analyze {
namespace {

// Python's own containers own no native memory that they would not show.
bool can_own(const HeapGraph& heap, uint32_t node) {
  return heap.kind(node) == ledger::NodeKind::object && !heap.is_container(node) &&
         !heap.is_internal_container(node) && !heap.is_class(node) && !heap.is_frame(node);
}

}  // namespace

uint32_t garbage_root_of(const HeapGraph& heap) {
  auto roots = heap.dominated_by(0);
  auto root = std::find_if(roots.begin(), roots.end(), [&](uint32_t v) {
    return heap.kind(v) == ledger::NodeKind::garbage_root;
  });
  return root == roots.end() ? 0 : *root;
}

uint64_t waiting_bytes(const ledger::Snapshot& snapshot) {
  std::vector<bool> is_reached(snapshot.nodes().size());
  std::vector<uint32_t> next{0};
  bool has_garbage = false;
  while (!next.empty()) {
    uint32_t from = next.back();
    next.pop_back();
    for (uint32_t to : snapshot.targets(from)) {
      bool is_garbage = snapshot.kind(to) == ledger::NodeKind::garbage_root;
      has_garbage |= is_garbage;
      if (is_garbage || is_reached[to]) continue;
      is_reached[to] = true;
      next.push_back(to);
    }
  }
  uint64_t bytes = 0;
  for (const ledger::SnapshotBuffer& buffer : snapshot.buffers())
    bytes += has_garbage && buffer.node != 0 && !is_reached[buffer.node] ? buffer.bytes : 0;
  return bytes;
}

bool is_mostly_held(const HeapGraph& heap, std::string_view type) {
  uint32_t root = garbage_root_of(heap);
  uint64_t held = 0, waiting = 0;
  for (uint32_t v = 1; v < heap.size(); ++v) {
    if (heap.kind(v) != ledger::NodeKind::object || heap.type(v) != type) continue;
    bool is_waiting = root != 0 && heap.dominates(root, v);
    ++(is_waiting ? waiting : held);
  }
  return held >= kFewestWaiting && held > waiting;
}

std::optional<WaitingClass> waiting_class(const HeapGraph& heap) {
  uint32_t root = garbage_root_of(heap);
  if (root == 0) return std::nullopt;
  std::map<std::string_view, uint64_t> leading;
  for (uint32_t top : heap.dominated_by(root)) {
    if (can_own(heap, top)) leading[heap.type(top)] = 0;
  }
  for (uint32_t v = 1; v < heap.size(); ++v) {
    auto found =
        heap.kind(v) == ledger::NodeKind::object ? leading.find(heap.type(v)) : leading.end();
    if (found != leading.end() && heap.dominates(root, v)) ++found->second;
  }
  auto most = std::max_element(leading.begin(), leading.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == leading.end() || most->second < kFewestWaiting) return std::nullopt;
  return WaitingClass{std::string(most->first), most->second};
}

}  // namespace tenure::analyze
