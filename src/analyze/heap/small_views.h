// analyze/heap/small_views.h: whether all that is kept of a block are views that show little of it.
// World: offline. Pure.
#pragma once
#include <cstdint>

#include "analyze/heap/heap_graph.h"

namespace tenure::analyze {

// A slice of an array, a memoryview, an element of a tensor: each keeps all of the memory it was cut from. Views of one
// block are added up; what stands between them and the block counts only if somebody else keeps it too.
bool is_kept_by_small_views(const HeapGraph& heap, uint32_t block, uint64_t bytes);

}  // namespace tenure::analyze
