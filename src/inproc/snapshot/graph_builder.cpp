#include "inproc/snapshot/graph_builder.h"

#include <algorithm>

namespace tenure::inproc {
namespace {

using ledger::NodeKind;

constexpr uint32_t kMostWords = 64;  // of an object's body that are compared with blocks
// A list of a hundred million items may lead to a few objects only. Up to here an edge twice costs less than to look.
constexpr size_t kManyEdges = 1 << 16;

// Views of other objects' memory hold it through the object, which is an edge of its own.
bool is_view(const char* name) {
  return strcmp(name, "memoryview") == 0 || strcmp(name, "managedbuffer") == 0;
}

// Numbers and pointers of ctypes know an address, and own nothing there.
bool is_mere_address(Object type) {
  return derives_from(type, "_ctypes._SimpleCData") || derives_from(type, "_ctypes._Pointer");
}

uint32_t words_to_scan(Object type) noexcept {
  if (is_mere_address(type)) return 0;
  uint64_t flags = type_flags(type);
  if (flags & (kIsLong | kIsTuple | kIsBytes | kIsType) || is_view(type_name(type))) return 0;
  auto words = (load<uint64_t>(type, kTypeBasicSize) - 16) / 8;
  return static_cast<uint32_t>(std::min<uint64_t>(words, kMostWords));
}

}  // namespace

// ---- nodes ----

uint32_t GraphBuilder::type_number(Object type) noexcept {
  bool fresh;
  uint32_t* number = type_numbers_.find_or_add(reinterpret_cast<uint64_t>(type), &fresh);
  if (!number) return 0;
  if (!fresh) return *number;
  *number = static_cast<uint32_t>(graph_.types.size());
  uint64_t flags = type_flags(type);
  HeapType t{};
  t.type = type;
  if (flags & kHaveGc) t.traverse = load<Traverse>(type, kTypeTraverse);
  t.is_gc = load<int (*)(const char*)>(type, kTypeIsGc);
  t.is_type = flags & kIsType;
  t.is_array = derives_from(type, "numpy.ndarray") &&
               load<uint64_t>(type, kTypeBasicSize) >= static_cast<uint64_t>(kArrayBytes);
  t.is_memoryview = strcmp(type_name(type), "memoryview") == 0;
  t.words = t.is_array ? 0 : words_to_scan(type);
  t.part = part_of(torch_, type, t.traverse);
  t.may_own_native =
      t.part == TorchPart::none && !t.is_array && may_own_native(type, api_.interpreter);
  uint32_t result = *number;
  graph_.types.push(t);
  return result;
}

uint32_t GraphBuilder::add_node(uint64_t key, NodeKind kind) noexcept {
  HeapNode node{};
  node.key = key;
  node.kind = static_cast<uint8_t>(kind);
  node.excess = kNotCounted;
  graph_.nodes.push(node);
  return static_cast<uint32_t>(graph_.nodes.size() - 1);
}

uint32_t GraphBuilder::node_of(Object o) noexcept {
  bool fresh;
  uint32_t* id = graph_.ids.find_or_add(reinterpret_cast<uint64_t>(o), &fresh);
  if (!id) return kSuperRoot;
  if (!fresh) return *id;
  *id = add_node(reinterpret_cast<uint64_t>(o), NodeKind::object);
  uint32_t number = *id;
  HeapNode& node = graph_.nodes[number];
  Object type = type_of(o);
  if (!type) return number;  // its pages were kept out of this copy
  node.type = type_number(type);
  node.size = static_cast<uint32_t>(std::min<uint64_t>(size_of(o, type), 0xffffffffu));
  int32_t references = references_of(o, api_.version());
  node.excess = references < 0 ? kNotCounted : references;
  HeapType& t = graph_.types[node.type];
  ++t.count;
  t.bytes += node.size;
  return number;
}

void GraphBuilder::begin(uint32_t number) noexcept {
  is_silent_ = graph_.nodes[number].flags & kSilent;
  source_ = number;
  first_edge_ = graph_.edges.size();
}

void GraphBuilder::end() noexcept {
  HeapNode& node = graph_.nodes[source_];
  node.first_edge = static_cast<uint32_t>(first_edge_);
  node.edge_count = static_cast<uint32_t>(graph_.edges.size() - first_edge_);
}

// ---- edges ----

bool GraphBuilder::is_second_edge(uint32_t to) noexcept {
  if (graph_.edges.size() - first_edge_ < kManyEdges) return false;
  if (to >= last_source_.size() && !last_source_.extend_to(2 * graph_.nodes.size())) return false;
  if (last_source_[to] == source_) return true;
  last_source_[to] = source_;
  return false;
}

void GraphBuilder::add_edge(uint32_t to) noexcept {
  if (!is_silent_ && !is_second_edge(to)) graph_.edges.push(to);
}

void GraphBuilder::lead_to(Object o) noexcept {
  uint32_t to = node_of(o);
  HeapNode& node = graph_.nodes[to];
  if (node.excess != kNotCounted) --node.excess;
  add_edge(to);
}

int GraphBuilder::visit(char* object, void* self) noexcept {
  if (object) static_cast<GraphBuilder*>(self)->lead_to(object);
  return 0;
}

void GraphBuilder::lead_to_block(uint32_t block) noexcept {
  uint32_t& known = graph_.buffers[block];
  if (!known) {
    known = add_node(blocks_[block].address, NodeKind::buffer) + 1;
    graph_.nodes[known - 1].size =
        static_cast<uint32_t>(std::min<uint64_t>(blocks_[block].bytes, 0xffffffffu));
  }
  add_edge(known - 1);
}

void GraphBuilder::lead_to_address(uint64_t data) noexcept {
  uint32_t block = blocks_.covering(data);
  if (block != BlockIndex::kNone) lead_to_block(block);
}

void GraphBuilder::lead_to_native(uint64_t object, uint16_t type, int32_t references) noexcept {
  bool fresh;
  uint32_t* id = graph_.ids.find_or_add(object, &fresh);
  if (!id) return;
  if (fresh) {
    *id = add_node(object, NodeKind::native);
    graph_.nodes[*id].native_type = type;
    graph_.nodes[*id].excess = references;
  }
  HeapNode& node = graph_.nodes[*id];
  if (node.excess != kNotCounted) --node.excess;
  add_edge(*id);
}

}  // namespace tenure::inproc
