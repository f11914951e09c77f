#include "analyze/heap/grown_container.h"

#include <algorithm>
#include <map>

#include "analyze/heap/rules.h"

namespace tenure::analyze {
namespace {

struct Table {
  uint64_t first_bytes = 0;  // when it was first seen, or 0 where an older snapshot had none
  uint64_t most_bytes = 0;
  GrownContainer largest;
};

}  // namespace

uint32_t table_owner(const HeapGraph& heap, const ledger::SnapshotBuffer& buffer) {
  if (buffer.node == 0 || !heap.is_reached(buffer.node)) return 0;
  uint32_t owner = heap.tree().parent[buffer.node];
  bool is_object = owner != 0 && heap.kind(owner) == ledger::NodeKind::object;
  return is_object && heap.is_container(owner) ? owner : 0;
}

std::optional<GrownContainer> grown_container(
    const std::vector<ledger::Snapshot>& snapshots,
    const std::function<const HeapGraph&(size_t)>& graph_of, uint64_t objects_bytes) {
  std::map<uint64_t, Table> tables;  // by the container's address
  for (size_t s = 0; s < snapshots.size(); ++s) {
    auto buffers = snapshots[s].buffers();
    for (uint32_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].bytes < kSmallestTable || !buffers[i].site) continue;
      uint32_t owner = table_owner(graph_of(s), buffers[i]);
      if (owner == 0) continue;
      auto [at, is_new] = tables.try_emplace(snapshots[s].nodes()[owner].key);
      Table& table = at->second;
      if (is_new && s == 0) table.first_bytes = buffers[i].bytes;
      if (buffers[i].bytes <= table.most_bytes) continue;
      table.most_bytes = buffers[i].bytes;
      table.largest = {s, i, buffers[i].site};
    }
  }
  const Table* best = nullptr;
  uint64_t most = objects_bytes / kMostOfOneItem;
  for (const auto& [address, table] : tables) {
    uint64_t grown = table.most_bytes - table.first_bytes;
    if (table.most_bytes < kLeastTableRatio * table.first_bytes || grown < most) continue;
    most = grown;
    best = &table;
  }
  return best && snapshots.size() >= 2 ? std::optional(best->largest) : std::nullopt;
}

}  // namespace tenure::analyze
