#include "inproc/snapshot/node_words.h"

#include "base/source_path.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;
using ledger::SnapshotNode;

constexpr int kMostPath = 1024;
constexpr int kLruCacheFunction = 88;

const char* base_name(const char* path) noexcept {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool is_kind(const HeapNode& node, NodeKind kind) {
  return node.kind == static_cast<uint8_t>(kind);
}

}  // namespace

NodeWords::NodeWords(const HeapApi& api, const PythonReader& reader, HeapGraph& heap,
                     TextTable& texts) noexcept
    : api_(api), reader_(reader), heap_(heap), texts_(texts) {
  for (uint32_t i = 0; i < heap_.roots.size(); ++i) {
    bool fresh;
    uint32_t* index = roots_.find_or_add(uint64_t{heap_.roots[i].node} + 1, &fresh);
    if (index && fresh) *index = i;
  }
  note_users_modules();
}

// ---- whose ----

bool NodeWords::is_users_code(Object code) const noexcept {
  char path[kMostPath];
  reader_.copy_file_name(code, path, sizeof path);
  return is_user_file(path);
}

bool NodeWords::is_users_module(const HeapNode& node, Object name) const noexcept {
  if (is_text(api_, name, "__main__")) return true;
  Object dict = instance_dict(reinterpret_cast<Object>(node.key), api_.version());
  Object file = dict && flags_of(dict) & kIsDict ? find_item(api_, dict, "__file__") : nullptr;
  char path[kMostPath] = "";
  if (file && flags_of(file) & kIsStr)
    copy_utf8_tail(view_str(*api_.frames, file), path, sizeof path);
  return is_user_file(path);
}

void NodeWords::note_users_modules() noexcept {
  for (const HeapRoot& root : heap_.roots) {
    const HeapNode& node = heap_.nodes[root.node];
    if (is_kind(node, NodeKind::module_root) && is_users_module(node, root.name))
      users_modules_.push(root.name);
  }
}

// By the module that the class says it is of.
bool NodeWords::is_users_class(Object type) noexcept {
  bool fresh;
  uint32_t* known = classes_.find_or_add(reinterpret_cast<uint64_t>(type), &fresh);
  if (!known) return false;
  if (!fresh) return *known;
  *known = 0;
  Object dict = type_flags(type) & kHeapType ? load_pointer(type, kTypeDict) : nullptr;
  Object module = dict ? find_item(api_, dict, "__module__") : nullptr;
  if (!module || !(flags_of(module) & kIsStr)) return false;
  StrView name = view_str(*api_.frames, module);
  for (Object own : users_modules_) {
    StrView other = view_str(*api_.frames, own);
    bool is_same = name.width == other.width && name.length == other.length &&
                   memcmp(name.data, other.data,
                          static_cast<size_t>(name.length) * static_cast<size_t>(name.width)) == 0;
    if (is_same) *known = 1;
  }
  return *known;
}

// ---- names ----

uint32_t NodeWords::text_of(Object str) noexcept {
  if (!str || !(flags_of(str) & kIsStr)) return 0;
  return texts_.add(ShortText().add_str(view_str(*api_.frames, str)));
}

uint32_t NodeWords::module_word(const HeapNode& node, const HeapRoot& root,
                                uint8_t* flags) noexcept {
  if (is_users_module(node, root.name)) *flags |= ledger::kNodeIsUsers;
  return text_of(root.name);
}

// "step() of train.py, thread MainThread"
uint32_t NodeWords::frame_word(Object code, const HeapRoot* root, uint8_t* flags) noexcept {
  char function[kMostPath], path[kMostPath];
  reader_.copy_function_name(code, function, sizeof function);
  reader_.copy_file_name(code, path, sizeof path);
  if (is_user_file(path)) *flags |= ledger::kNodeIsUsers;
  ShortText text;
  text.add(function).add(strcmp(function, "<module>") == 0 ? "" : "()");
  text.add(" of ").add(base_name(path));
  if (root && root->thread)
    text.add(", thread ").add_str(view_str(*api_.frames, root->thread));
  else if (root && root->is_main)
    text.add(", thread MainThread");
  return texts_.add(text);
}

uint32_t NodeWords::function_word(Object function, uint8_t* flags) noexcept {
  if (is_users_code(load_pointer(function, api_.objects->function_code)))
    *flags |= ledger::kNodeIsUsers;
  return text_of(load_pointer(function, api_.objects->function_qualname));
}

uint32_t NodeWords::class_word(Object type, uint8_t* flags) noexcept {
  *flags |= ledger::kNodeIsNamespace;
  Object dict = load_pointer(type, kTypeDict);
  bool has_dict = type_flags(type) & kHeapType && dict;
  if (is_users_class(type)) *flags |= ledger::kNodeIsUsers;
  Object qualname = has_dict ? find_item(api_, dict, "__qualname__") : nullptr;
  if (qualname && flags_of(qualname) & kIsStr) return text_of(qualname);
  return texts_.add(type_name(type));
}

uint32_t NodeWords::object_word(Object o, uint8_t* flags) noexcept {
  if (flags_of(o) & kIsType) return class_word(o, flags);
  if (is_named(o, "function")) return function_word(o, flags);
  if (is_named(o, "frame")) {
    *flags |= ledger::kNodeIsNamespace;
    return frame_word(code_of_frame(api_, inner_frame(api_, o)), nullptr, flags);
  }
  if (is_named(o, "functools._lru_cache_wrapper")) {
    Object function = load_pointer(o, kLruCacheFunction);
    return function && is_named(function, "function") ? function_word(function, flags) : 0;
  }
  bool is_generator = is_named(o, "generator") || is_named(o, "coroutine");
  if (is_generator && api_.objects->generator_frame != kNoField) {
    Object code = code_of_frame(api_, o + api_.objects->generator_frame);
    return code && is_named(code, "code") ? frame_word(code, nullptr, flags) : 0;
  }
  return 0;
}

uint32_t NodeWords::word_of(const HeapNode& node, uint32_t number, uint8_t* flags) noexcept {
  uint32_t index = roots_.find(uint64_t{number} + 1);
  const HeapRoot* root = index == AddressMap::kNone ? nullptr : &heap_.roots[index];
  if (is_kind(node, NodeKind::module_root) && root) return module_word(node, *root, flags);
  if (is_kind(node, NodeKind::frame_root) && root) return frame_word(root->name, root, flags);
  return node.type ? object_word(reinterpret_cast<Object>(node.key), flags) : 0;
}

// ---- namespaces ----

void NodeWords::mark_namespace(Object dict) noexcept {
  if (reinterpret_cast<uintptr_t>(dict) <= 4096) return;
  uint32_t node = heap_.ids.find(reinterpret_cast<uint64_t>(dict));
  if (node != AddressMap::kNone) heap_.nodes[node].flags |= ledger::kNodeIsNamespace;
}

void NodeWords::mark_namespaces(const PrunedGraph& pruned) noexcept {
  for (uint32_t i = 0; i < pruned.size(); ++i) {
    const HeapNode& node = heap_.nodes[pruned.heap_node[i]];
    if (!node.type) continue;
    auto o = reinterpret_cast<Object>(node.key);
    mark_namespace(flags_of(o) & kIsType ? load_pointer(o, kTypeDict)
                                         : instance_dict(o, api_.version()));
  }
}

SnapshotNode NodeWords::describe(uint32_t heap_node) noexcept {
  const HeapNode& node = heap_.nodes[heap_node];
  SnapshotNode out{};
  out.key = node.key;
  out.type = node.type;
  out.size = node.size;
  out.excess = node.excess == kNotCounted ? 0 : node.excess;
  out.kind = node.kind;
  out.flags = node.flags & static_cast<uint8_t>(~kSilent);
  out.word = word_of(node, heap_node, &out.flags);
  if (node.native_type) out.type = static_cast<uint32_t>(heap_.types.size() + node.native_type - 1);
  if (!node.type) return out;
  auto o = reinterpret_cast<Object>(node.key);
  if (is_users_class(type_of(o))) out.flags |= ledger::kNodeHasUsersClass;
  out.length = length_of(o, flags_of(o));
  out.bound = bound_of(o);
  return out;
}

}  // namespace tenure::inproc
