// inproc/snapshot/tensor_walk.h: follows torch's tensors and gradient graphs through C++: what Python cannot see, or only by
// making an object for every node.
// World: inside, one thread, in the snapshot's child. Raw loads; a guessed address is checked before it is read.
// Cost: about a microsecond a node of a graph.
#pragma once
#include "inproc/snapshot/graph_builder.h"
#include "inproc/snapshot/readable.h"

namespace tenure::inproc {

class TensorWalk {
 public:
  TensorWalk(GraphBuilder& builder, const TorchLayout& layout) noexcept
      : builder_(builder), at_(layout) {}

  // The edges of a Python object that no traversal shows.
  void walk_object(Object o, TorchPart part) noexcept;
  // The edges of a tensor or node in C++.
  void walk_native(const HeapNode& node) noexcept;
  // What a tensor in C++ shows of its storage. It may look larger than it is, never smaller; 0: not known.
  uint32_t bytes_shown(const HeapNode& node) noexcept;

 private:
  uint64_t field(uint64_t object, int64_t offset) noexcept;  // 0: unknown, or not to be read
  uint64_t bytes_of(uint64_t object) noexcept;               // 0: no block of the heap
  uint64_t bytes_of_item(uint64_t type) const noexcept;
  void lead_to_native(uint64_t object, TorchPart part) noexcept;
  int32_t references_of(uint64_t object, TorchPart part) noexcept;
  void lead_to_object(uint64_t object, TorchPart part) noexcept;
  void walk_tensor(uint64_t impl) noexcept;
  void walk_storage(uint64_t storage) noexcept;
  void walk_without_storage(uint64_t impl) noexcept;
  void walk_node(uint64_t node, bool is_pythons) noexcept;
  // Saved tensors lie in the node itself, or in a vector of it. Function objects of Python are built alike.
  void scan(uint64_t begin, uint64_t words) noexcept;
  void scan_vector(const uint64_t* ends) noexcept;
  bool is_tensor(uint64_t word) noexcept;
  uint16_t type_of_native(uint64_t object, TorchPart part) noexcept;  // 0: it has no name

  GraphBuilder& builder_;
  const TorchLayout at_;
  ReadablePages pages_;
  AddressMap types_;  // virtual table -> number in HeapGraph::native_types
};

}  // namespace tenure::inproc
