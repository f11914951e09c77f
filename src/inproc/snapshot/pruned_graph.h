// inproc/snapshot/pruned_graph.h: the part of the heap that leads to tracked blocks, numbered anew as in the file.
// World: inside, in the snapshot's child.
#pragma once
#include "inproc/snapshot/block_index.h"
#include "inproc/snapshot/heap_graph.h"

namespace tenure::inproc {

struct PrunedGraph {
  Column<uint32_t> heap_node;   // new number -> number in the heap graph; 0 is the super root
  Column<uint32_t> first_edge;  // one more than there are nodes
  Column<uint32_t> edges;       // new numbers, no target twice
  Column<uint32_t> parent;      // on a shortest way from the super root; ~0: not reached

  uint32_t size() const noexcept { return static_cast<uint32_t>(heap_node.size()); }
};

// Keeps the ancestors of blocks. When they are too many, of larger blocks only. The step from an object to its class is
// left out where the class is reached otherwise: it would make every instance an ancestor of all its module holds.
void prune(const HeapGraph& heap, const BlockIndex& blocks, PrunedGraph& pruned) noexcept;

}  // namespace tenure::inproc
