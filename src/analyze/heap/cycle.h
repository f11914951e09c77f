// analyze/heap/cycle.h: the cycle of references that a block hangs from when nothing else holds it.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analyze/heap/heap_graph.h"
#include "analyze/heap/retention.h"

namespace tenure::analyze {

// Nodes that refer to the next, the last to the first; empty: none was found.
std::vector<uint32_t> find_cycle(const HeapGraph& heap, const Retention& retention);

// How people read a cycle.
struct CycleText {
  std::string parts;       // "Lattice.cells -> Cell.lattice"
  std::string closing;     // "Cell.lattice": the attribute to cut; empty: none has a name
  bool has_graph = false;  // of gradients
  bool is_hidden = false;  // NumPy arrays take no part in collections: gc cannot look through them
};

CycleText cycle_text(const HeapGraph& heap, const std::vector<uint32_t>& cycle);

}  // namespace tenure::analyze
