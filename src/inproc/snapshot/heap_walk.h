// inproc/snapshot/heap_walk.h: walks the Python heap by the types' own tp_traverse, and joins it with the ledger's blocks.
// World: inside, in the snapshot's child: one thread, no bytecode, no heap, nothing of the interpreter is changed.
// Cost: 0.2 to 0.5 us an object.
#pragma once
#include "inproc/snapshot/block_index.h"
#include "inproc/snapshot/heap_api.h"
#include "inproc/snapshot/tensor_walk.h"

namespace tenure::inproc {

// What an adapter knows and no walk can see: this object keeps the data at that address, or that other object.
struct KnownLink {
  Object from;
  uint64_t to;
  bool is_object;  // `to` is one
};

// An object an adapter saw pile up (a session, a graph, a tape): who keeps it is asked, whatever it holds natively.
struct KnownThing {
  Object object;
  uint32_t cause;  // its number in the ledger's causes
};

class HeapWalk {
 public:
  HeapWalk(const HeapApi& api, const BlockIndex& blocks, const TorchLayout& torch,
           HeapGraph& graph) noexcept
      : api_(api), blocks_(blocks), graph_(graph), tensors_(*this, torch) {}

  void know(const KnownLink& link) noexcept;  // before run()
  void silence(Object own) noexcept;          // before run(): an object of Tenure's, not a holder
  // Fills the graph: modules, frames of all threads, everything they and the collector's lists lead to.
  void run() noexcept;

  // For the steps of the walk, which are in files of their own.
  const HeapApi& api() const noexcept { return api_; }
  HeapGraph& graph() noexcept { return graph_; }
  uint32_t node_of(Object o) noexcept;
  uint32_t add_node(uint64_t key, ledger::NodeKind kind) noexcept;
  // One more edge of the node that is being walked.
  void lead_to(Object o) noexcept;
  void lead_to_native(uint64_t object, uint16_t type, int32_t references) noexcept;
  void lead_to_address(uint64_t data) noexcept;  // to the block there, if one is
  void lead_to_start(uint64_t word) noexcept;    // to the block that begins there: for guesses
  void root(const HeapRoot& root) noexcept { graph_.roots.push(root); }

 private:
  static int seed(char* object, void* self) noexcept;
  static int visit(char* object, void* self) noexcept;
  uint32_t type_number(Object type) noexcept;
  void add_edge(uint32_t to) noexcept;
  bool is_second_edge(uint32_t to) noexcept;
  void add_modules() noexcept;
  void walk_from(uint32_t node) noexcept;
  void walk_object(Object o, uint32_t type) noexcept;
  void walk_static_type(Object type) noexcept;
  void walk_array(Object array) noexcept;
  bool leads_to(Object o, uint32_t block) noexcept;
  bool is_blind(Object base, uint32_t block) noexcept;
  uint32_t shown_bytes(Object array) noexcept;
  uint32_t shown_by(Object o, uint32_t type) noexcept;  // 0: it is no view of memory
  void lead_to_block(uint32_t block) noexcept;
  void join_blocks(Object o, uint32_t type, uint32_t size) noexcept;
  void follow_links(Object o) noexcept;

  const HeapApi& api_;
  const BlockIndex& blocks_;
  HeapGraph& graph_;
  AddressMap type_numbers_;
  struct ChainedLink {
    KnownLink link;
    uint32_t next;  // of the same object; AddressMap::kNone: the last
  };
  AddressMap known_;  // object -> index in links_
  Column<ChainedLink> links_;
  Column<Object> seeds_;  // what the collector tracks
  TensorWalk tensors_;
  // Of the node that is being walked.
  bool is_silent_ = false;
  uint32_t source_ = 0;
  size_t first_edge_ = 0;
  Column<uint32_t> last_source_;  // per node: which node of very many edges led to it last
};

}  // namespace tenure::inproc
