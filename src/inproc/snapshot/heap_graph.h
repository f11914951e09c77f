// inproc/snapshot/heap_graph.h: every Python object of the process and which leads to which: what the walk finds.
// World: inside, one thread, in the snapshot's child. Plain data.
#pragma once
#include "inproc/snapshot/address_map.h"
#include "inproc/snapshot/torch_layout.h"
#include "ledger/snapshot_layout.h"

namespace tenure::inproc {

// Numbers of the nodes every graph begins with.
inline constexpr uint32_t kSuperRoot = 0, kNativeRoot = 1, kGarbageRoot = 2, kFirstOther = 3;

struct HeapNode {
  uint64_t key;         // address
  uint32_t type;        // in HeapGraph::types; 0 for what is no object
  uint32_t size;        // saturated
  int32_t excess;       // references no edge explains so far; kNotCounted for an immortal object
  uint32_t first_edge;  // into HeapGraph::edges
  uint32_t edge_count;
  uint8_t kind;          // ledger::NodeKind
  uint8_t flags;         // ledger::kNode*, and kSilent
  uint16_t native_type;  // of a C++ object: its number in HeapGraph::native_types + 1
};
inline constexpr int32_t kNotCounted = INT32_MIN;
inline constexpr uint8_t kSilent =
    128;  // Tenure's own: its references are known, but it holds nothing

struct HeapType {
  Object type;
  Traverse traverse;          // nullptr: its objects lead nowhere by themselves
  int (*is_gc)(const char*);  // nullptr: all of them
  uint32_t words;             // of the body to look through for addresses of blocks
  bool is_type;
  bool is_array;  // numpy.ndarray
  bool is_memoryview;
  bool may_own_native;  // comes from an extension module
  TorchPart part;
  uint64_t count;
  uint64_t bytes;
};

// A class of C++ objects.
struct NativeType {
  const char* name;  // ends after `length`
  uint32_t length;
  TorchPart part;
};

// A node the super root leads to, and where its name is found.
struct HeapRoot {
  uint32_t node;
  Object name;    // module: the str it is known by in sys.modules; frame: its code
  Object thread;  // frame: the name of its thread, nullptr if the program has none for it
  bool is_main;   // frame: of the main thread
};

struct HeapGraph {
  Column<HeapNode> nodes;
  Column<uint32_t> edges;  // grouped by source
  Column<HeapType> types;  // 0: no object
  Column<NativeType> native_types;
  Column<HeapRoot> roots;
  AddressMap ids;            // address of an object (also in C++), address + 1 of a frame -> node
  Column<uint32_t> buffers;  // block -> node + 1

  const uint32_t* edges_of(uint32_t node) const noexcept {
    return edges.data() + nodes[node].first_edge;
  }
};

}  // namespace tenure::inproc
