// analyze/heap/grown_container.h: small Python objects have no line and no block of their own, but the list or dict that they
// pile up in does: its table of items grows with them.
// World: offline. Pure.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "analyze/heap/heap_graph.h"

namespace tenure::analyze {

struct GrownContainer {
  size_t snapshot = 0;  // that saw it largest
  uint32_t buffer = 0;  // its table there
  SiteId site;          // the line that made the table last
};

// The container whose own table the buffer is; 0: it is something else.
uint32_t table_owner(const HeapGraph& heap, const ledger::SnapshotBuffer& buffer);

// The container whose table grew most over the snapshots (oldest first), enough for `objects_bytes` of objects in it.
std::optional<GrownContainer> grown_container(
    const std::vector<ledger::Snapshot>& snapshots,
    const std::function<const HeapGraph&(size_t)>& graph_of, uint64_t objects_bytes);

}  // namespace tenure::analyze
