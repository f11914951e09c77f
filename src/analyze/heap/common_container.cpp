#include "analyze/heap/common_container.h"

#include <map>
#include <set>

#include "analyze/heap/rules.h"

namespace tenure::analyze {
namespace {

struct Passed {
  std::vector<uint32_t> blocks;
  std::set<uint32_t> items;
  size_t depth = 0;
};

// Each block's way, seen from every container on it.
std::map<uint32_t, Passed> containers_on_ways(const HeapGraph& heap,
                                              std::span<const uint32_t> nodes) {
  std::map<uint32_t, Passed> passed;
  for (uint32_t node : nodes) {
    std::vector<uint32_t> way = heap.way_to(node);
    for (size_t i = 0; i + 1 < way.size(); ++i) {
      if (!heap.is_container(way[i]) || heap.is_namespace(way[i])) continue;
      Passed& here = passed[way[i]];
      here.blocks.push_back(node);
      here.items.insert(way[i + 1]);
      here.depth = i;
    }
  }
  return passed;
}

}  // namespace

std::optional<CommonContainer> common_container(const HeapGraph& heap,
                                                std::span<const uint32_t> nodes) {
  nodes = nodes.first(std::min(nodes.size(), kMostAsked));
  std::optional<CommonContainer> found;
  size_t deepest = 0;
  for (auto& [container, passed] : containers_on_ways(heap, nodes)) {
    bool is_shared =
        passed.blocks.size() * 2 > nodes.size() && passed.items.size() >= kFewestInCommon;
    if (!is_shared || (found && passed.depth <= deepest)) continue;
    deepest = passed.depth;
    found = CommonContainer{container, std::move(passed.blocks)};
  }
  return found;
}

}  // namespace tenure::analyze
