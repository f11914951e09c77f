#include "inproc/snapshot/heap_walk.h"

#include <algorithm>

#include "inproc/snapshot/thread_frames.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;

constexpr uint32_t kMostWords = 64;          // of an object's body that are compared with blocks
constexpr uint32_t kSmallestOwnBlock = 512;  // smaller objects come from Python's own arenas

// Views of other objects' memory hold it through the object, which is an edge of its own.
bool is_view(const char* name) {
  return strcmp(name, "memoryview") == 0 || strcmp(name, "managedbuffer") == 0;
}

// The object whose memory a memoryview shows; nullptr: it is none, or was released.
Object viewed_by(Object view) noexcept {
  constexpr int kManagedBuffer = 24, kViewedObject = 40;
  if (strcmp(type_name(type_of(view)), "memoryview") != 0) return nullptr;
  Object managed = load_pointer(view, kManagedBuffer);
  return managed ? load_pointer(managed, kViewedObject) : nullptr;
}

// 0: there is none.
uint64_t smallest_stride(Object array) noexcept {
  Object strides = load_pointer(array, kArrayStrides);
  uint64_t smallest = 0;
  for (int i = 0, n = load<int>(array, kArrayDimensionCount); i < n && strides; ++i) {
    auto stride = load<int64_t>(strides, i * 8);
    auto step = static_cast<uint64_t>(stride < 0 ? -stride : stride);
    if (step && (smallest == 0 || step < smallest)) smallest = step;
  }
  return smallest;
}

// Bytes that a memoryview shows; 0: it was released.
uint32_t viewed_bytes(Object view) noexcept {
  constexpr int kLength = 72;
  if (!viewed_by(view)) return 0;
  return static_cast<uint32_t>(std::min<uint64_t>(load<uint64_t>(view, kLength), ~0u));
}

uint32_t words_to_scan(Object type) noexcept {
  uint64_t flags = type_flags(type);
  if (flags & (kIsLong | kIsTuple | kIsBytes | kIsType) || is_view(type_name(type))) return 0;
  auto words = (load<uint64_t>(type, kTypeBasicSize) - 16) / 8;
  return static_cast<uint32_t>(std::min<uint64_t>(words, kMostWords));
}

}  // namespace

// ---- nodes ----

uint32_t HeapWalk::type_number(Object type) noexcept {
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
  t.part = tensors_.part_of(type, t.traverse);
  uint32_t result = *number;
  graph_.types.push(t);
  return result;
}

uint32_t HeapWalk::add_node(uint64_t key, NodeKind kind) noexcept {
  HeapNode node{};
  node.key = key;
  node.kind = static_cast<uint8_t>(kind);
  node.excess = kNotCounted;
  graph_.nodes.push(node);
  return static_cast<uint32_t>(graph_.nodes.size() - 1);
}

uint32_t HeapWalk::node_of(Object o) noexcept {
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

// ---- edges ----

// A list of a hundred million items may lead to a few objects only. Up to here an edge twice costs less than to look.
constexpr size_t kManyEdges = 1 << 16;

bool HeapWalk::is_second_edge(uint32_t to) noexcept {
  if (graph_.edges.size() - first_edge_ < kManyEdges) return false;
  if (to >= last_source_.size() && !last_source_.extend_to(2 * graph_.nodes.size())) return false;
  if (last_source_[to] == source_) return true;
  last_source_[to] = source_;
  return false;
}

void HeapWalk::add_edge(uint32_t to) noexcept {
  if (!is_silent_ && !is_second_edge(to)) graph_.edges.push(to);
}

void HeapWalk::lead_to(Object o) noexcept {
  uint32_t to = node_of(o);
  HeapNode& node = graph_.nodes[to];
  if (node.excess != kNotCounted) --node.excess;
  add_edge(to);
}

int HeapWalk::visit(char* object, void* self) noexcept {
  if (object) static_cast<HeapWalk*>(self)->lead_to(object);
  return 0;
}

// Only noted: the interpreter holds a reference of its own while it calls us.
int HeapWalk::seed(char* object, void* self) noexcept {
  static_cast<HeapWalk*>(self)->seeds_.push(object);
  return 1;  // go on
}

void HeapWalk::lead_to_block(uint32_t block) noexcept {
  uint32_t& known = graph_.buffers[block];
  if (!known) {
    known = add_node(blocks_[block].address, NodeKind::buffer) + 1;
    graph_.nodes[known - 1].size =
        static_cast<uint32_t>(std::min<uint64_t>(blocks_[block].bytes, 0xffffffffu));
  }
  add_edge(known - 1);
}

void HeapWalk::lead_to_address(uint64_t data) noexcept {
  uint32_t block = blocks_.covering(data);
  if (block != BlockIndex::kNone) lead_to_block(block);
}

void HeapWalk::lead_to_start(uint64_t word) noexcept {
  uint32_t block = blocks_.starting_at(word);
  if (block != BlockIndex::kNone) lead_to_block(block);
}

void HeapWalk::lead_to_native(uint64_t object, uint16_t type, int32_t references) noexcept {
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

void HeapWalk::join_blocks(Object o, uint32_t type, uint32_t size) noexcept {
  const uint32_t words = graph_.types[type].words;
  for (uint32_t i = 0; i < words; ++i) {
    uint32_t block = blocks_.starting_at(load<uint64_t>(o, 16 + static_cast<int>(i) * 8));
    if (block != BlockIndex::kNone) lead_to_block(block);
  }
  if (size >= kSmallestOwnBlock) lead_to_address(reinterpret_cast<uint64_t>(o));
}

void HeapWalk::follow_links(Object o) noexcept {
  if (known_.size() == 0) return;
  for (uint32_t at = known_.find(reinterpret_cast<uint64_t>(o)); at != AddressMap::kNone;) {
    const ChainedLink chained = links_[at];
    at = chained.next;
    if (chained.link.is_object) {
      lead_to(reinterpret_cast<Object>(chained.link.to));
      continue;
    }
    lead_to_address(chained.link.to);
  }
}

// ---- one node after the other ----

void HeapWalk::walk_static_type(Object type) noexcept {  // type_traverse would abort on it
  for (int field : {kTypeDict, kTypeMro}) {
    Object o = load_pointer(type, field);
    if (reinterpret_cast<uintptr_t>(o) > 4096) lead_to(o);  // 3.12+: an index for built-in types
  }
}

// Whether the walk of this object will come to that block.
bool HeapWalk::leads_to(Object o, uint32_t block) noexcept {
  const HeapType& type = graph_.types[graph_.nodes[node_of(o)].type];
  if (type.is_array || known_.find(reinterpret_cast<uint64_t>(o)) != AddressMap::kNone) return true;
  for (uint32_t i = 0; i < type.words; ++i) {
    if (blocks_.starting_at(load<uint64_t>(o, 16 + static_cast<int>(i) * 8)) == block) return true;
  }
  return blocks_.covering(reinterpret_cast<uint64_t>(o)) == block;
}

// Whether this owner of an array's memory will not lead to that block by itself: what a framework puts there to be told of
// the array's end knows the memory in a way of its own, and so does an array that was deleted while NumPy looks at it.
bool HeapWalk::is_blind(Object base, uint32_t block) noexcept {
  if (Object viewed = viewed_by(base)) return !leads_to(viewed, block);
  const HeapType& type = graph_.types[graph_.nodes[node_of(base)].type];
  return !type.traverse && !leads_to(base, block);
}

// ndarray takes no part in the collector's game: its base and its items have to be read.
void HeapWalk::walk_array(Object array) noexcept {
  Object base = load_pointer(array, kArrayBase);
  if (base) lead_to(base);
  bool owns = load<int>(array, kArrayFlags) & kArrayOwnsData;
  auto data = load<uint64_t>(array, kArrayData);
  uint32_t block = data ? blocks_.covering(data) : BlockIndex::kNone;
  if (block != BlockIndex::kNone && (owns || (base && is_blind(base, block)))) lead_to_block(block);
  Object dimensions = load_pointer(array, kArrayDimensions);  // a block of its own
  if (dimensions) lead_to_address(reinterpret_cast<uint64_t>(dimensions));
  uint64_t count = object_items(array);
  auto* items = reinterpret_cast<Object const*>(data);
  for (uint64_t i = 0; i < count; ++i) {
    if (items[i]) lead_to(items[i]);
  }
}

// What an array shows of its memory: items times the size of one. That is the smallest stride, unless all are skipped over;
// then it is that of the array it was cut from. A view may look larger than it is, never smaller.
uint32_t HeapWalk::shown_bytes(Object array) noexcept {
  uint64_t item = smallest_stride(array);
  Object base = load_pointer(array, kArrayBase);
  bool is_cut = base && graph_.types[graph_.nodes[node_of(base)].type].is_array &&
                load_pointer(base, kArrayDescription) == load_pointer(array, kArrayDescription);
  if (is_cut) item = std::min(item, smallest_stride(base));
  Object dimensions = load_pointer(array, kArrayDimensions);
  uint64_t bytes = item;
  for (int i = 0, n = load<int>(array, kArrayDimensionCount); i < n && dimensions; ++i) {
    if (__builtin_mul_overflow(bytes, load<uint64_t>(dimensions, i * 8), &bytes)) return ~0u;
  }
  return static_cast<uint32_t>(std::min<uint64_t>(bytes, ~0u));
}

uint32_t HeapWalk::shown_by(Object o, uint32_t type) noexcept {
  const HeapType& t = graph_.types[type];
  if (t.is_array) return shown_bytes(o);
  return t.is_memoryview ? viewed_bytes(o) : 0;
}

void HeapWalk::walk_object(Object o, uint32_t type) noexcept {
  const HeapType t = graph_.types[type];  // a copy: the column may move
  if (t.traverse && (!t.is_gc || t.is_gc(o)))
    t.traverse(const_cast<char*>(o), &visit, this);
  else if (t.is_type)
    walk_static_type(o);
  if (t.is_array) walk_array(o);
}

void HeapWalk::walk_from(uint32_t number) noexcept {
  HeapNode node = graph_.nodes[number];
  is_silent_ = node.flags & kSilent;
  source_ = number;
  first_edge_ = graph_.edges.size();
  if (node.type) {
    walk_object(reinterpret_cast<Object>(node.key), node.type);
    join_blocks(reinterpret_cast<Object>(node.key), node.type, node.size);
    follow_links(reinterpret_cast<Object>(node.key));
    tensors_.walk_object(reinterpret_cast<Object>(node.key), graph_.types[node.type].part);
  }
  if (node.kind == static_cast<uint8_t>(NodeKind::native)) {
    lead_to_address(node.key);  // a C++ object is a block itself
    tensors_.walk_native(node);
  }
  if (node.kind == static_cast<uint8_t>(NodeKind::frame_root))
    walk_frame(*this, reinterpret_cast<Object>(node.key));
  uint32_t shown = node.type ? shown_by(reinterpret_cast<Object>(node.key), node.type) : 0;
  HeapNode& now = graph_.nodes[number];
  now.size = std::max(now.size, shown);
  now.first_edge = static_cast<uint32_t>(first_edge_);
  now.edge_count = static_cast<uint32_t>(graph_.edges.size() - first_edge_);
}

// ---- roots ----

void HeapWalk::add_modules() noexcept {
  Object modules = api_.PyImport_GetModuleDict();
  ptrdiff_t at = 0;
  char *name, *module;
  while (modules && api_.PyDict_Next(modules, &at, &name, &module)) {
    if (is_named(module, "NoneType") || !(flags_of(name) & kIsStr)) continue;
    uint32_t node = node_of(module);
    if (graph_.nodes[node].kind == static_cast<uint8_t>(NodeKind::module_root)) continue;
    graph_.nodes[node].kind = static_cast<uint8_t>(NodeKind::module_root);
    graph_.nodes[node].flags |= ledger::kNodeIsNamespace;
    root({node, name, nullptr, false});
  }
}

void HeapWalk::know(const KnownLink& link) noexcept {
  bool fresh;
  uint32_t* first = known_.find_or_add(reinterpret_cast<uint64_t>(link.from), &fresh);
  if (!first) return;
  uint32_t next = fresh ? AddressMap::kNone : *first;
  *first = static_cast<uint32_t>(links_.size());
  links_.push({link, next});
}

void HeapWalk::silence(Object own) noexcept {
  if (graph_.nodes.size() == 0) {
    graph_.types.push(HeapType{});
    add_node(0, NodeKind::super_root);
    add_node(0, NodeKind::native_root);
    add_node(0, NodeKind::garbage_root);
  }
  if (own) graph_.nodes[node_of(own)].flags |= kSilent;
}

void HeapWalk::run() noexcept {
  silence(nullptr);
  graph_.buffers.extend_to(blocks_.size());
  add_modules();
  add_thread_frames(*this);
  graph_.edges.push(kNativeRoot);
  graph_.edges.push(kGarbageRoot);
  for (const HeapRoot& r : graph_.roots) graph_.edges.push(r.node);
  graph_.nodes[kSuperRoot].edge_count = static_cast<uint32_t>(graph_.edges.size());
  each_tracked(api_, &seed, this);
  for (Object o : seeds_) node_of(o);
  for (uint32_t i = kFirstOther; i < graph_.nodes.size() && !g_snapshot_is_short; ++i) walk_from(i);
}

}  // namespace tenure::inproc
