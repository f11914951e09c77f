#include "analyze/heap/python_containers.h"

#include <algorithm>

#include "analyze/heap/grown_container.h"
#include "analyze/heap/holder_text.h"
#include "analyze/heap/kept_at.h"

namespace tenure::analyze {

std::vector<PythonContainer> python_containers(const HeapGraph& heap, uint32_t fewest_items,
                                               const std::string& main_file) {
  std::vector<PythonContainer> found;
  const ledger::Snapshot& snapshot = heap.snapshot();
  for (const ledger::SnapshotBuffer& buffer : snapshot.buffers()) {
    uint32_t owner = table_owner(heap, buffer);
    if (owner == 0 || !buffer.site || snapshot.nodes()[owner].length < fewest_items) continue;
    Retention retention;
    retention.point = owner;
    std::vector<KeptName> names = kept_names(heap, retention);
    if (names.empty()) continue;
    found.push_back({say_holder(heap, retention, main_file), std::move(names.front()),
                     snapshot.nodes()[owner].length, buffer.site});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.items > b.items; });
  return found;
}

}  // namespace tenure::analyze
