// analyze/heap/waiting_class.h: objects of one class that wait for the cyclic collector. What such an object owns in native
// memory, where no reference can be followed, waits with it.
// World: offline. Pure: a heap graph in, a name and a number out.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analyze/heap/heap_graph.h"

namespace tenure::analyze {

struct WaitingClass {
  std::string name;
  uint64_t count = 0;  // instances that wait
};

// The garbage root of the snapshot; 0: it has none.
uint32_t garbage_root_of(const HeapGraph& heap);

// Bytes of blocks that nothing but garbage leads to. A plain walk: a heap graph is made only where there is enough.
uint64_t waiting_bytes(const ledger::Snapshot& snapshot);

// Whether more objects of the type hang from something than wait, and not just a few: no collection would free those.
bool is_mostly_held(const HeapGraph& heap, std::string_view type);

// Of the classes whose instances lead groups of garbage, the one with most instances; nothing where few groups wait.
std::optional<WaitingClass> waiting_class(const HeapGraph& heap);

}  // namespace tenure::analyze
