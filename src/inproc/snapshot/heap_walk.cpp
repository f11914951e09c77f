#include "inproc/snapshot/heap_walk.h"

#include <algorithm>

#include "inproc/snapshot/exit_callbacks.h"
#include "inproc/snapshot/thread_frames.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;

constexpr uint64_t kMostOfHead = 80;  // of a str: ASCII ones have a shorter one
constexpr int32_t kMostReferences = 1 << 16;
constexpr uint32_t kSmallestOwnBlock = 512;  // smaller objects come from Python's own arenas

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

}  // namespace

// ---- edges ----

// Only noted: the interpreter holds a reference of its own while it calls us.
int HeapWalk::seed(char* object, void* self) noexcept {
  static_cast<HeapWalk*>(self)->seeds_.push(object);
  return 1;  // go on
}

void HeapWalk::join_blocks(Object o, uint32_t type, uint32_t size) noexcept {
  const uint32_t words = graph_.types[type].words;
  for (uint32_t i = 0; i < words; ++i) {
    builder_.lead_to_start(load<uint64_t>(o, 16 + static_cast<int>(i) * 8));
  }
  if (size >= kSmallestOwnBlock) builder_.lead_to_address(reinterpret_cast<uint64_t>(o));
}

void HeapWalk::follow_links(Object o) noexcept {
  if (known_.size() == 0) return;
  for (uint32_t at = known_.find(reinterpret_cast<uint64_t>(o)); at != AddressMap::kNone;) {
    const ChainedLink chained = links_[at];
    at = chained.next;
    if (chained.link.is_object) {
      builder_.lead_to(reinterpret_cast<Object>(chained.link.to));
      continue;
    }
    builder_.lead_to_address(chained.link.to);
  }
}

// ---- one node after the other ----

void HeapWalk::walk_static_type(Object type) noexcept {  // type_traverse would abort on it
  for (int field : {kTypeDict, kTypeMro}) {
    Object o = load_pointer(type, field);
    if (reinterpret_cast<uintptr_t>(o) > 4096)
      builder_.lead_to(o);  // 3.12+: an index for built-in types
  }
}

// Whether the walk of this object will come to that block.
bool HeapWalk::leads_to(Object o, uint32_t block) noexcept {
  const HeapType& type = graph_.types[graph_.nodes[builder_.node_of(o)].type];
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
  const HeapType& type = graph_.types[graph_.nodes[builder_.node_of(base)].type];
  return !type.traverse && !leads_to(base, block);
}

// ndarray takes no part in the collector's game: its base and its items have to be read.
void HeapWalk::walk_array(Object array) noexcept {
  Object base = load_pointer(array, kArrayBase);
  if (base) builder_.lead_to(base);
  bool owns = load<int>(array, kArrayFlags) & kArrayOwnsData;
  auto data = load<uint64_t>(array, kArrayData);
  uint32_t block = data ? blocks_.covering(data) : BlockIndex::kNone;
  if (block != BlockIndex::kNone && (owns || (base && is_blind(base, block))))
    builder_.lead_to_block(block);
  Object dimensions = load_pointer(array, kArrayDimensions);  // a block of its own
  if (dimensions) builder_.lead_to_address(reinterpret_cast<uint64_t>(dimensions));
  uint64_t count = object_items(array);
  auto* items = reinterpret_cast<Object const*>(data);
  for (uint64_t i = 0; i < count; ++i) {
    if (items[i]) builder_.lead_to(items[i]);
  }
}

// What an array shows of its memory: items times the size of one. That is the smallest stride, unless all are skipped over;
// then it is that of the array it was cut from. A view may look larger than it is, never smaller.
uint32_t HeapWalk::shown_bytes(Object array) noexcept {
  uint64_t item = smallest_stride(array);
  Object base = load_pointer(array, kArrayBase);
  bool is_cut = base && graph_.types[graph_.nodes[builder_.node_of(base)].type].is_array &&
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
    t.traverse(const_cast<char*>(o), &GraphBuilder::visit, &builder_);
  else if (t.is_type)
    walk_static_type(o);
  if (t.is_array) walk_array(o);
}

void HeapWalk::walk_from(uint32_t number) noexcept {
  HeapNode node = graph_.nodes[number];
  bool is_owned_in_c = node.kind == static_cast<uint8_t>(NodeKind::native) && !node.native_type;
  if (is_owned_in_c) return;  // walked last
  builder_.begin(number);
  if (node.type) {
    walk_object(reinterpret_cast<Object>(node.key), node.type);
    join_blocks(reinterpret_cast<Object>(node.key), node.type, node.size);
    follow_links(reinterpret_cast<Object>(node.key));
    tensors_.walk_object(reinterpret_cast<Object>(node.key), graph_.types[node.type].part);
    if (graph_.types[node.type].may_own_native)
      natives_.note(reinterpret_cast<Object>(node.key), node.type);
  }
  if (node.kind == static_cast<uint8_t>(NodeKind::native)) {
    builder_.lead_to_address(node.key);  // a C++ object is a block itself
    tensors_.walk_native(node);
  }
  if (node.kind == static_cast<uint8_t>(NodeKind::frame_root))
    walk_frame(builder_, reinterpret_cast<Object>(node.key));
  uint32_t shown = 0;
  if (node.type) shown = shown_by(reinterpret_cast<Object>(node.key), node.type);
  if (node.native_type) shown = tensors_.bytes_shown(node);
  HeapNode& now = graph_.nodes[number];
  now.size = std::max(now.size, shown);
  builder_.end();
}

// ---- objects that nothing leads to ----

// As a str or bytes begins: its references, its type, and a size that fits the block.
bool HeapWalk::is_object_at(uint64_t address, uint64_t bytes) noexcept {
  if (bytes < kSmallestOwnBlock || !pages_.can_read(address, 64)) return false;
  auto o = reinterpret_cast<Object>(address);
  int32_t references = references_of(o, api_.version());
  auto type = load<uint64_t>(o, 8);
  uint32_t node = graph_.ids.find(type);
  if (references <= 0 || references > kMostReferences || node == AddressMap::kNone) return false;
  if (!graph_.types[graph_.nodes[node].type].is_type) return false;
  uint64_t size = size_of(o, reinterpret_cast<Object>(type));
  return size <= bytes + kMostOfHead && size * 2 > bytes;
}

// The collector knows no str and no bytes: one whose last reference got lost in C is only found by its block.
void HeapWalk::find_unreferenced() noexcept {
  for (uint32_t i = 0; i < blocks_.size() && !g_snapshot_is_short; ++i) {
    if (graph_.buffers[i] || !blocks_[i].site) continue;
    if (is_object_at(blocks_[i].address, blocks_[i].bytes))
      builder_.node_of(reinterpret_cast<Object>(blocks_[i].address));
  }
}

// ---- roots ----

void HeapWalk::add_modules() noexcept {
  Object modules = api_.PyImport_GetModuleDict();
  ptrdiff_t at = 0;
  char *name, *module;
  while (modules && api_.PyDict_Next(modules, &at, &name, &module)) {
    if (is_named(module, "NoneType") || !(flags_of(name) & kIsStr)) continue;
    uint32_t node = builder_.node_of(module);
    if (graph_.nodes[node].kind == static_cast<uint8_t>(NodeKind::module_root)) continue;
    graph_.nodes[node].kind = static_cast<uint8_t>(NodeKind::module_root);
    graph_.nodes[node].flags |= ledger::kNodeIsNamespace;
    builder_.root({node, name, nullptr, false});
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

// The module `atexit` stands for the interpreter, which keeps them.
void HeapWalk::know_exit_callbacks() noexcept {
  Object module = find_item(api_, api_.PyImport_GetModuleDict(), "atexit");
  if (!module || is_named(module, "NoneType")) return;
  Column<Object> callbacks;
  find_exit_callbacks(api_, graph_, module, &callbacks);
  for (Object o : callbacks) know({module, reinterpret_cast<uint64_t>(o), true});
}

void HeapWalk::silence(Object own) noexcept {
  if (graph_.nodes.size() == 0) {
    graph_.types.push(HeapType{});
    builder_.add_node(0, NodeKind::super_root);
    builder_.add_node(0, NodeKind::native_root);
    builder_.add_node(0, NodeKind::garbage_root);
  }
  if (own) graph_.nodes[builder_.node_of(own)].flags |= kSilent;
}

void HeapWalk::run() noexcept {
  silence(nullptr);
  graph_.buffers.extend_to(blocks_.size());
  add_modules();
  add_thread_frames(builder_);
  graph_.edges.push(kNativeRoot);
  graph_.edges.push(kGarbageRoot);
  for (const HeapRoot& r : graph_.roots) graph_.edges.push(r.node);
  graph_.nodes[kSuperRoot].edge_count = static_cast<uint32_t>(graph_.edges.size());
  each_tracked(api_, &seed, this);
  for (Object o : seeds_) builder_.node_of(o);
  know_exit_callbacks();
  uint32_t next = kFirstOther;
  for (; next < graph_.nodes.size() && !g_snapshot_is_short; ++next) walk_from(next);
  find_unreferenced();
  for (; next < graph_.nodes.size() && !g_snapshot_is_short; ++next) walk_from(next);
  natives_.run();
}

}  // namespace tenure::inproc
