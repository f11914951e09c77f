// inproc/snapshot/orphans.h: gives a root to what no module and no frame leads to.
// World: inside, in the snapshot's child.
#pragma once
#include "inproc/snapshot/heap_graph.h"

namespace tenure::inproc {

// An orphan with references that no edge explains is held by native code: an edge from kNativeRoot. What is left then
// waits for the cyclic collector: kGarbageRoot gets an edge to one node of each group that nothing else leads to.
void adopt_orphans(HeapGraph& graph) noexcept;

}  // namespace tenure::inproc
