// inproc/snapshot/exit_callbacks.h: what the program asked `atexit` to call: the interpreter keeps it in C, where no traversal
// comes.
// World: inside, one thread, in the snapshot's child. Raw loads; what is found is checked against the objects of the heap.
// Cost: one pass over the interpreter's state, at most 512 KiB.
#pragma once
#include "inproc/snapshot/heap_api.h"
#include "inproc/snapshot/heap_graph.h"
#include "inproc/snapshot/readable.h"

namespace tenure::inproc {

// Functions, their arguments and keywords, in the order of their registration. `graph` knows all tracked objects.
void find_exit_callbacks(const HeapApi& api, const HeapGraph& graph, Object atexit_module,
                         Column<Object>* found) noexcept;

}  // namespace tenure::inproc
