#include "inproc/snapshot/tensor_walk.h"

#include "base/type_name.h"
#include "inproc/snapshot/guessed_block.h"

namespace tenure::inproc {
namespace {

constexpr uint64_t kLargestNode = kLargestGuessedBlock;  // also of what it saved in a vector
constexpr uint64_t kMostEdges = 1 << 16;                 // of one node
constexpr uint64_t kControlBlock = 16;  // before an object that std::make_shared made
constexpr uint32_t kLongestTypeName = 200;
constexpr uint64_t kLargestItem = 16;  // a complex number
constexpr uint64_t kTypesWithSize = 16;

uint64_t word_at(uint64_t address) noexcept {
  return load<uint64_t>(reinterpret_cast<const void*>(address), 0);
}

}  // namespace

uint64_t TensorWalk::field(uint64_t object, int64_t offset) noexcept {
  if (offset == TorchLayout::kUnknown) return 0;
  uint64_t address = object + static_cast<uint64_t>(offset);
  return pages_.can_read(address, 8) ? word_at(address) : 0;
}

// What is left of the block behind the address.
uint64_t TensorWalk::bytes_of(uint64_t object) noexcept {
  if (uint64_t bytes = guessed_block_bytes(pages_, object)) return bytes;
  uint64_t bytes = guessed_block_bytes(pages_, object - kControlBlock);
  return bytes > kControlBlock ? bytes - kControlBlock : 0;
}

// ---- types ----

uint16_t TensorWalk::type_of_native(uint64_t object, TorchPart part) noexcept {
  if ((object & 7) != 0 || !pages_.can_read(object, 8)) return 0;
  uint64_t table = word_at(object);
  if ((table & 7) != 0 || !pages_.can_read(table - 8, 16)) return 0;
  bool fresh;
  uint32_t* number = types_.find_or_add(table, &fresh);
  if (!number) return 0;
  if (!fresh) return static_cast<uint16_t>(*number);
  *number = 0;
  uint64_t info = word_at(table - 8);
  uint64_t name = pages_.can_read(info, 16) ? word_at(info + 8) : 0;
  if (!pages_.can_read(name, kLongestTypeName)) return 0;
  auto* text = reinterpret_cast<const char*>(name);
  NamePart found = last_name_part(text, static_cast<uint32_t>(strnlen(text, kLongestTypeName)));
  Column<NativeType>& all = builder_.graph().native_types;
  if (found.length == 0 || all.size() >= UINT16_MAX) return 0;
  all.push({found.text, found.length, part});
  *number = static_cast<uint32_t>(all.size());
  return static_cast<uint16_t>(*number);
}

int32_t TensorWalk::references_of(uint64_t object, TorchPart part) noexcept {
  if (part == TorchPart::node || at_.impl_count == TorchLayout::kUnknown) return kNotCounted;
  auto count = static_cast<uint32_t>(field(object, at_.impl_count));
  return count < INT32_MAX ? static_cast<int32_t>(count) : kNotCounted;
}

// ---- edges ----

void TensorWalk::lead_to_native(uint64_t object, TorchPart part) noexcept {
  uint16_t type = object ? type_of_native(object, part) : 0;
  if (type) builder_.lead_to_native(object, type, references_of(object, part));
}

// In older torch the lowest bit says who owns the object.
void TensorWalk::lead_to_object(uint64_t object, TorchPart part) noexcept {
  object &= ~uint64_t{1};
  const HeapGraph& graph = builder_.graph();
  uint32_t node = object ? graph.ids.find(object) : AddressMap::kNone;
  if (node == AddressMap::kNone || !graph.nodes[node].type) return;
  if (graph.types[graph.nodes[node].type].part == part)
    builder_.lead_to(reinterpret_cast<Object>(object));
}

void TensorWalk::walk_object(Object o, TorchPart part) noexcept {
  auto address = reinterpret_cast<uint64_t>(o);
  switch (part) {
    case TorchPart::none:
      return;
    case TorchPart::tensor:
    case TorchPart::storage:
      return lead_to_native(field(address, at_.object_impl), part);
    case TorchPart::node:
      return lead_to_native(field(address, at_.object_node), part);
    case TorchPart::function:
      return scan(address + 16, (load<uint64_t>(type_of(o), kTypeBasicSize) - 16) / 8);
  }
}

void TensorWalk::walk_native(const HeapNode& node) noexcept {
  const NativeType& type = builder_.graph().native_types[node.native_type - 1];
  if (type.part == TorchPart::tensor) return walk_tensor(node.key);
  if (type.part == TorchPart::storage) return walk_storage(node.key);
  constexpr char kPythons[] = "PyNode";
  bool is_pythons =
      type.length == sizeof kPythons - 1 && memcmp(type.name, kPythons, sizeof kPythons - 1) == 0;
  walk_node(node.key, is_pythons);
}

// A type that no tensor had when the offsets were learnt is taken for the largest.
uint64_t TensorWalk::bytes_of_item(uint64_t type) const noexcept {
  if (type >= kTypesWithSize || at_.item_bytes == TorchLayout::kUnknown) return kLargestItem;
  uint64_t size = static_cast<uint64_t>(at_.item_bytes) >> (4 * type) & 15;
  return size ? uint64_t{1} << (size - 1) : kLargestItem;
}

uint32_t TensorWalk::bytes_shown(const HeapNode& node) noexcept {
  const NativeType& type = builder_.graph().native_types[node.native_type - 1];
  if (type.part != TorchPart::tensor || at_.impl_items == TorchLayout::kUnknown) return 0;
  uint64_t bytes = 0, number = field(node.key, at_.impl_items + 8) & 0xffff;
  if (__builtin_mul_overflow(field(node.key, at_.impl_items), bytes_of_item(number), &bytes) ||
      bytes > UINT32_MAX)
    return UINT32_MAX;
  return static_cast<uint32_t>(bytes);
}

void TensorWalk::walk_tensor(uint64_t impl) noexcept {
  if (uint64_t storage = field(impl, at_.impl_storage))
    lead_to_native(storage, TorchPart::storage);
  else
    walk_without_storage(impl);
  lead_to_object(field(impl, at_.impl_object), TorchPart::tensor);
  uint64_t meta = at_.has_graphs() ? field(impl, at_.impl_meta) : 0;
  if (!meta) return;
  lead_to_native(field(meta, at_.meta_node), TorchPart::node);
  uint64_t bytes = bytes_of(meta);  // with its gradient, and the tensor it is a view of
  if (bytes > 8 && pages_.can_read(meta, bytes)) scan(meta + 8, bytes / 8 - 1);
}

void TensorWalk::walk_storage(uint64_t storage) noexcept {
  if (uint64_t data = field(storage, at_.storage_data)) builder_.lead_to_address(data);
  lead_to_object(field(storage, at_.storage_object), TorchPart::storage);
}

// Its data is in tensors of its own, as a sparse tensor's, or behind a handle, as with oneDNN.
void TensorWalk::walk_without_storage(uint64_t impl) noexcept {
  uint64_t bytes = bytes_of(impl);
  if (bytes <= 8 || !pages_.can_read(impl, bytes)) return;
  scan(impl + 8, bytes / 8 - 1);
  for (uint64_t at = impl + 8; at + 8 <= impl + bytes; at += 8) {
    uint64_t handle = word_at(at), size = guessed_block_bytes(pages_, handle);
    if (size == 0 || !pages_.can_read(handle, size)) continue;
    for (uint64_t word = handle; word + 8 <= handle + size; word += 8)
      builder_.lead_to_start(word_at(word));
  }
}

void TensorWalk::walk_node(uint64_t node, bool is_pythons) noexcept {
  uint64_t bytes = bytes_of(node);
  auto edges = static_cast<uint64_t>(at_.node_edges);
  if (bytes < edges + 16 || !pages_.can_read(node, bytes)) return;
  uint64_t begin = word_at(node + edges), end = word_at(node + edges + 8);
  auto each = static_cast<uint64_t>(at_.edge_bytes);
  if (begin < end && (end - begin) / each <= kMostEdges && pages_.can_read(begin, end - begin)) {
    for (uint64_t edge = begin; edge < end; edge += each)
      lead_to_native(word_at(edge), TorchPart::node);
  }
  lead_to_object(field(node, at_.node_object), TorchPart::node);
  scan(node + 8, bytes / 8 - 1);
  if (!is_pythons) return;
  for (uint64_t at = node + 8; at < node + bytes; at += 8)
    lead_to_object(word_at(at), TorchPart::function);
}

// ---- what a node has saved ----

bool TensorWalk::is_tensor(uint64_t word) noexcept {
  return (word & 15) == 0 && pages_.can_read(word, 8) &&
         static_cast<int64_t>(word_at(word)) == at_.impl_table;
}

void TensorWalk::scan(uint64_t begin, uint64_t words) noexcept {
  auto* all = reinterpret_cast<const uint64_t*>(begin);
  for (uint64_t i = 0; i < words; ++i) {
    if (all[i] == 0) continue;
    if (is_tensor(all[i]))
      lead_to_native(all[i], TorchPart::tensor);
    else if (i + 2 < words)
      scan_vector(all + i);
  }
}

void TensorWalk::scan_vector(const uint64_t* ends) noexcept {
  uint64_t begin = ends[0], end = ends[1], room = ends[2];
  if ((begin & 15) != 0 || begin >= end || end > room || room - begin > kLargestNode) return;
  if ((end - begin) % 8 != 0 || !pages_.can_read(begin, room - begin)) return;
  if (guessed_block_bytes(pages_, begin) < room - begin) return;
  for (uint64_t at = begin; at < end; at += 8) {
    if (is_tensor(word_at(at))) lead_to_native(word_at(at), TorchPart::tensor);
  }
}

}  // namespace tenure::inproc
