// inproc/snapshot/graph_builder.h: adds nodes to the heap graph, and edges to the node that is being walked: what all steps of
// the walk share.
// World: inside, one thread, in the snapshot's child. No call into the interpreter.
// Cost: one lookup of an address for each edge.
#pragma once
#include "inproc/snapshot/block_index.h"
#include "inproc/snapshot/heap_api.h"

namespace tenure::inproc {

class GraphBuilder {
 public:
  GraphBuilder(const HeapApi& api, const BlockIndex& blocks, const TorchLayout& torch,
               HeapGraph& graph) noexcept
      : api_(api), blocks_(blocks), torch_(torch), graph_(graph) {}

  const HeapApi& api() const noexcept { return api_; }
  HeapGraph& graph() noexcept { return graph_; }

  uint32_t node_of(Object o) noexcept;
  uint32_t add_node(uint64_t key, ledger::NodeKind kind) noexcept;
  void root(const HeapRoot& root) noexcept { graph_.roots.push(root); }

  // From now on the edges are those of this node, until end().
  void begin(uint32_t node) noexcept;
  void end() noexcept;

  // One more edge of the node that is being walked.
  void lead_to(Object o) noexcept;
  void lead_to_native(uint64_t object, uint16_t type, int32_t references) noexcept;
  void lead_to_block(uint32_t block) noexcept;
  void lead_to_node(uint32_t node) noexcept { add_edge(node); }
  void lead_to_address(uint64_t data) noexcept;  // to the block there, if one is
  void lead_to_start(uint64_t word) noexcept {   // to the block that begins there: for guesses
    uint32_t block = blocks_.starting_at(word);
    if (block != BlockIndex::kNone) lead_to_block(block);
  }
  static int visit(char* object, void* builder) noexcept;  // lead_to, for tp_traverse

 private:
  uint32_t type_number(Object type) noexcept;
  void add_edge(uint32_t to) noexcept;
  bool is_second_edge(uint32_t to) noexcept;

  const HeapApi& api_;
  const BlockIndex& blocks_;
  const TorchLayout& torch_;
  HeapGraph& graph_;
  AddressMap type_numbers_;
  // Of the node that is being walked.
  bool is_silent_ = false;
  uint32_t source_ = 0;
  size_t first_edge_ = 0;
  Column<uint32_t> last_source_;  // per node: which node of very many edges led to it last
};

}  // namespace tenure::inproc
