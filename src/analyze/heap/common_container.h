// analyze/heap/common_container.h: the container through whose items many blocks are reached, each by an item of its own.
// World: offline. Pure: a heap graph in, a node out. For blocks that something else holds as well, so that no single thing
// dominates them: what a program keeps in its own list may also be known to a library's cache.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/heap/heap_graph.h"

namespace tenure::analyze {

struct CommonContainer {
  uint32_t node = 0;
  std::vector<uint32_t> blocks;  // those whose way passes it
};

// The innermost such container that has most of these nodes; nothing if none has.
std::optional<CommonContainer> common_container(const HeapGraph& heap,
                                                std::span<const uint32_t> nodes);

}  // namespace tenure::analyze
