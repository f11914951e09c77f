// inproc/snapshot/heap_walk.h: walks the Python heap by the types' own tp_traverse, and joins it with the ledger's blocks.
// World: inside, in the snapshot's child: one thread, no bytecode, no heap, nothing of the interpreter is changed.
// Cost: 0.2 to 0.5 us an object.
#pragma once
#include "inproc/snapshot/native_owners.h"
#include "inproc/snapshot/tensor_walk.h"

namespace tenure::inproc {

// What an adapter knows and no walk can see: this object keeps the data at that address, or that other object.
struct KnownLink {
  Object from;
  uint64_t to;
  bool is_object;  // `to` is one
};

// An object an adapter saw pile up (a session, a graph, a tape): who keeps it is asked, whatever it holds natively.
struct TrackedObject {
  Object object;
  uint32_t cause;  // its number in the ledger's causes
};

class HeapWalk {
 public:
  HeapWalk(const HeapApi& api, const BlockIndex& blocks, const TorchLayout& torch,
           HeapGraph& graph) noexcept
      : api_(api),
        blocks_(blocks),
        graph_(graph),
        builder_(api, blocks, torch, graph),
        tensors_(builder_, torch),
        natives_(builder_, blocks) {}

  void know(const KnownLink& link) noexcept;  // before run()
  void silence(Object own) noexcept;          // before run(): an object of Tenure's, not a holder
  // Fills the graph: modules, frames of all threads, everything they and the collector's lists lead to.
  void run() noexcept;

 private:
  static int seed(char* object, void* self) noexcept;
  void add_modules() noexcept;
  void walk_from(uint32_t node) noexcept;
  void walk_object(Object o, uint32_t type) noexcept;
  void walk_static_type(Object type) noexcept;
  void walk_array(Object array) noexcept;
  bool leads_to(Object o, uint32_t block) noexcept;
  bool is_blind(Object base, uint32_t block) noexcept;
  uint32_t shown_bytes(Object array) noexcept;
  uint32_t shown_by(Object o, uint32_t type) noexcept;  // 0: it is no view of memory
  void join_blocks(Object o, uint32_t type, uint32_t size) noexcept;
  void follow_links(Object o) noexcept;
  void know_exit_callbacks() noexcept;
  void find_unreferenced() noexcept;
  bool is_object_at(uint64_t address, uint64_t bytes) noexcept;

  const HeapApi& api_;
  const BlockIndex& blocks_;
  HeapGraph& graph_;
  GraphBuilder builder_;
  TensorWalk tensors_;
  NativeOwners natives_;
  ReadablePages pages_;
  struct ChainedLink {
    KnownLink link;
    uint32_t next;  // of the same object; AddressMap::kNone: the last
  };
  AddressMap known_;  // object -> index in links_
  Column<ChainedLink> links_;
  Column<Object> seeds_;  // what the collector tracks
};

}  // namespace tenure::inproc
