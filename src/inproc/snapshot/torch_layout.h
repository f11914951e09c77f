// inproc/snapshot/torch_layout.h: where the C++ objects of torch keep what the walk follows. Nothing here is fixed: the torch
// adapter finds every offset in the running program, by values torch itself tells it.
// World: inside. Plain data, filled with the GIL, constant in the snapshot's child.
#pragma once
#include "inproc/snapshot/python_object.h"

namespace tenure::inproc {

struct TorchLayout {
  static constexpr int64_t kUnknown = -1;

  int64_t is_known = 0;    // storages are found; graphs too, if meta_node and node_edges are known
  int64_t object_impl;     // of a Python tensor: its TensorImpl
  int64_t impl_object;     // of a TensorImpl: the Python tensor, which it keeps
  int64_t impl_storage;    // StorageImpl
  int64_t storage_data;    // where the data is
  int64_t storage_object;  // the Python storage, which it keeps
  int64_t impl_meta;       // AutogradMeta, or null
  int64_t meta_node;       // grad_fn
  int64_t object_node;     // of a Python grad_fn: the node
  int64_t node_object;     // and the way back: a node may keep its Python object
  int64_t node_edges;      // of a node: begin and end of its vector of edges
  int64_t edge_bytes;      // of one of them; a node's address comes first
  int64_t impl_count;      // strong references to a TensorImpl or StorageImpl, 32 bits
  int64_t impl_table;      // virtual table of a plain TensorImpl
  int64_t node_type;       // a Python type of nodes made in C++: all of them share its tp_traverse
  int64_t
      impl_items;  // how many items a TensorImpl shows; the number of their type stands behind it
  int64_t
      item_bytes;  // of the types 0 to 15, four bits each: 1 for one byte, 2 for two, 3 for four; 0: not known

  bool has_graphs() const noexcept { return meta_node != kUnknown && node_edges != kUnknown; }
};
inline constexpr int kTorchFields = sizeof(TorchLayout) / sizeof(int64_t);

// What objects of a type are to torch: where C++ goes on.
enum class TorchPart : uint8_t { none, tensor, storage, node, function };

// `traverse` is the type's; nullptr: its objects lead nowhere.
TorchPart part_of(const TorchLayout& layout, Object type, Traverse traverse) noexcept;

}  // namespace tenure::inproc
