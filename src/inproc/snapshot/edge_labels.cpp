#include "inproc/snapshot/edge_labels.h"

#include "base/hash.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;

constexpr int kMemberBytes = 40, kMemberType = 8, kMemberOffset = 16;
constexpr int kObjectMember = 6, kObjectExMember = 16;
constexpr int kDequeLeftBlock = 24, kDequeLeftIndex = 40, kDequeBlockItems = 64;
constexpr int kMostKeyParts = 4;

}  // namespace

// ---- the wanted ones ----

void WantedLabels::clear() noexcept {
  for (Slot& slot : slots_) slot = {};
  wanted_ = left_ = 0;
}

WantedLabels::Slot* WantedLabels::find(Object child) noexcept {
  auto at = static_cast<uint32_t>(mix(reinterpret_cast<uint64_t>(child))) % kSlots;
  while (slots_[at].child && slots_[at].child != child) at = (at + 1) % kSlots;
  return &slots_[at];
}

void WantedLabels::want(Object child, uint32_t edge) noexcept {
  if (is_full()) return;
  Slot* slot = find(child);
  if (slot->child) return;
  *slot = {child, edge, 0};
  ++wanted_;
  ++left_;
}

WantedLabels::Slot* WantedLabels::open(Object child) noexcept {
  if (!child || left_ == 0) return nullptr;
  Slot* slot = find(child);
  return slot->child && slot->label == 0 ? slot : nullptr;
}

void WantedLabels::close(Slot* slot, uint32_t label) noexcept {
  slot->label = label;
  if (label) --left_;
}

// ---- forms ----

void EdgeLabels::name(Object child, const char* label) noexcept {
  if (auto* slot = wanted_.open(child)) wanted_.close(slot, texts_.add(label));
}

void EdgeLabels::name_quoted(Object child, const char* before, Object str,
                             const char* after) noexcept {
  auto* slot = wanted_.open(child);
  if (!slot) return;
  ShortText text;
  text.add(before).add_str(view_str(*api_.frames, str)).add(after);
  wanted_.close(slot, texts_.add(text));
}

void EdgeLabels::name_numbered(Object child, int64_t index) noexcept {
  if (auto* slot = wanted_.open(child))
    wanted_.close(slot, texts_.add(ShortText().add("[").add_number(index).add("]")));
}

void EdgeLabels::add_key(ShortText& text, Object key, int depth) const noexcept {
  uint64_t flags = flags_of(key);
  int64_t number;
  if (flags & kIsStr) {
    text.add("'").add_str(view_str(*api_.frames, key)).add("'");
  } else if (flags & kIsLong && read_int(key, api_.version(), &number)) {
    text.add_number(number);
  } else if (flags & kIsTuple && depth == 0) {
    int64_t count = load<int64_t>(key, kVarObjectSize);
    text.add("(");
    for (int64_t i = 0; i < count && i < kMostKeyParts; ++i) {
      if (i) text.add(", ");
      add_key(text, tuple_item(key, i), 1);
    }
    text.add(count > kMostKeyParts ? ", ...)" : ")");
  } else {
    text.add("<").add(type_name(type_of(key))).add(">");
  }
}

// ---- kinds of objects ----

bool EdgeLabels::is_private_name(Object key) const noexcept {
  if (!(flags_of(key) & kIsStr)) return false;
  const StrView text = view_str(*api_.frames, key);
  return text.length > 0 && text.data[0] == '_';
}

// Of several names for one object, one without an underscore says more: IPython has `_` and `_5` for what a user calls `x`.
void EdgeLabels::label_dict(Object dict) noexcept {
  if (label_entries(dict, false)) label_entries(dict, true);
}

// False: there is none but these.
bool EdgeLabels::label_entries(Object dict, bool with_private_names) noexcept {
  ptrdiff_t at = 0;
  char *key, *value;
  bool was_left_out = false;
  while (!wanted_.is_done() && api_.PyDict_Next(dict, &at, &key, &value)) {
    if (!with_private_names && is_private_name(key)) {
      was_left_out = true;
      continue;
    }
    if (auto* slot = wanted_.open(value)) {
      ShortText text;
      text.add("[");
      add_key(text, key, 0);
      wanted_.close(slot, texts_.add(text.add("]")));
    }
    if (auto* slot = wanted_.open(key)) {
      ShortText text;
      text.add("[key ");
      add_key(text, key, 0);
      wanted_.close(slot, texts_.add(text.add("]")));
    }
  }
  return was_left_out;
}

void EdgeLabels::label_items(Object sequence, uint64_t flags) noexcept {
  auto* items = flags & kIsList ? load<Object const*>(sequence, kListItems) : tuple_items(sequence);
  int64_t count = load<int64_t>(sequence, kVarObjectSize);
  for (int64_t i = 0; items && i < count && !wanted_.is_done(); ++i) name_numbered(items[i], i);
}

// The names of a function's free variables stand last among its code's.
void EdgeLabels::label_closure(Object tuple, Object code) noexcept {
  const ObjectLayout& layout = *api_.objects;
  bool is_old = api_.version() < 0x30b;
  Object names =
      load_pointer(code, is_old ? layout.code_free_names : layout.code_locals_plus_names);
  int64_t count = load<int64_t>(tuple, kVarObjectSize);
  int64_t first = names ? load<int64_t>(names, kVarObjectSize) - count : -1;
  for (int64_t i = 0; i < count && first >= 0; ++i) {
    Object cell = tuple_item(tuple, i);
    Object variable = tuple_item(names, first + i);
    name_quoted(cell, " closure `", variable, "`");
  }
}

void EdgeLabels::label_frame(Object frame) noexcept {
  if (!frame) return;
  FrameSlots slots(api_, frame);
  for (FrameSlot slot; slots.next(&slot);) {
    if (slot.name)
      name_quoted(slot.value, " local `", slot.name, "`");
    else
      name(slot.value, " temporary");
  }
  if (api_.objects->frame_function != kNoField)
    name(load_pointer(frame, api_.objects->frame_function), " function");
  name(load_pointer(frame, api_.objects->frame_locals), ".f_locals");
  name(load_pointer(frame, api_.objects->frame_globals), ".f_globals");
  if (api_.version() < 0x30b) name(load_pointer(frame, api_.frames->frame_back), ".f_back");
}

void EdgeLabels::label_function(Object function) noexcept {
  const ObjectLayout& layout = *api_.objects;
  name(load_pointer(function, layout.function_closure), ".__closure__");
  name(load_pointer(function, layout.function_defaults), ".__defaults__");
  name(load_pointer(function, layout.function_keyword_defaults), ".__kwdefaults__");
  name(load_pointer(function, layout.function_code), ".__code__");
}

void EdgeLabels::label_error(Object error) noexcept {
  const ObjectLayout& layout = *api_.objects;
  name(load_pointer(error, layout.error_traceback), ".__traceback__");
  name(load_pointer(error, layout.error_context), ".__context__");
  name(load_pointer(error, layout.error_cause), ".__cause__");
  name(load_pointer(error, 24), ".args");
}

void EdgeLabels::label_class(Object type) noexcept {
  name(load_pointer(type, kTypeDict), ".__dict__");
  name(load_pointer(type, kTypeMro), ".__mro__");
  name(load_pointer(type, kTypeBase), ".__base__");
}

void EdgeLabels::label_array(Object array) noexcept {
  name(load_pointer(array, kArrayBase), ".base");
  uint64_t count = object_items(array);
  auto* items = load<Object const*>(array, kArrayData);
  for (uint64_t i = 0; i < count && !wanted_.is_done(); ++i)
    name_numbered(items[i], static_cast<int64_t>(i));
}

// Blocks of 64 items between two links.
void EdgeLabels::label_deque(Object deque) noexcept {
  const char* block = load_pointer(deque, kDequeLeftBlock);
  auto at = load<int64_t>(deque, kDequeLeftIndex);
  int64_t count = load<int64_t>(deque, kVarObjectSize);
  for (int64_t i = 0; block && i < count && !wanted_.is_done(); ++i) {
    name_numbered(load_pointer(block, 8 + static_cast<int>(at) * 8), i);
    if (++at < kDequeBlockItems) continue;
    at = 0;
    block = load_pointer(block, 8 + kDequeBlockItems * 8);
  }
}

void EdgeLabels::label_members(Object o) noexcept {
  Object type = type_of(o);
  for (int bases = 0; type && bases < 64; ++bases, type = load_pointer(type, kTypeBase)) {
    const char* member = load_pointer(type, kTypeMembers);
    for (; member && load_pointer(member, 0); member += kMemberBytes) {
      int kind = load<int>(member, kMemberType);
      auto offset = load<int64_t>(member, kMemberOffset);
      if ((kind != kObjectMember && kind != kObjectExMember) || offset <= 0 || offset > 1 << 16)
        continue;
      auto* slot = wanted_.open(load_pointer(o, static_cast<int>(offset)));
      if (slot) wanted_.close(slot, texts_.add(ShortText().add(".").add(load_pointer(member, 0))));
    }
  }
}

void EdgeLabels::label_attributes(Object o) noexcept {
  InlineValues inside;
  if (inline_values(o, *api_.objects, &inside)) {
    for (int64_t i = 0; i < inside.count; ++i) {
      Object key = load_pointer(inside.names, static_cast<int>(i) * 16);
      if (key) name_quoted(inside.values[i], ".", key, "");
    }
  }
  name(instance_dict(o, api_.version()), ".__dict__");
  name(type_of(o), ".__class__");
}

// Pairs of a variable and its value; where there is no variable, the value is another node.
void EdgeLabels::label_context(Object node) noexcept {
  constexpr int kPairs = 32, kVariableName = 16;
  int64_t count = load<int64_t>(node, kVarObjectSize);
  for (int64_t i = 0; i + 1 < count && !wanted_.is_done(); i += 2) {
    Object variable = load_pointer(node, kPairs + static_cast<int>(i) * 8);
    Object value = load_pointer(node, kPairs + static_cast<int>(i + 1) * 8);
    if (variable && strstr(type_name(type_of(variable)), "ContextVar"))
      name_quoted(value, " context `", load_pointer(variable, kVariableName), "`");
  }
}

void EdgeLabels::label_known_type(Object o) noexcept {
  const char* type = type_name(type_of(o));
  auto is = [type](const char* known) { return strcmp(type, known) == 0; };
  if (is("cell")) return name(load_pointer(o, kCellContents), ".cell_contents");
  if (is("function")) return label_function(o);
  if (is("frame")) return label_frame(inner_frame(api_, o));
  if (is("traceback")) {
    name(load_pointer(o, kTracebackFrame), ".tb_frame");
    return name(load_pointer(o, kTracebackNext), ".tb_next");
  }
  if (is("generator") || is("coroutine") || is("async_generator")) {
    if (api_.objects->generator_frame != kNoField) label_frame(o + api_.objects->generator_frame);
    return;
  }
  if (is("hamt_bitmap_node")) return label_context(o);
  if (is("functools._lru_cache_wrapper")) return name(load_pointer(o, kLruCacheDict), " cache");
}

void EdgeLabels::label(Object o) noexcept {
  uint64_t flags = flags_of(o);
  uint32_t closure = closures_.find(reinterpret_cast<uint64_t>(o));
  if (closure != AddressMap::kNone) label_closure(o, codes_[closure]);
  if (flags & kIsDict) label_dict(o);
  if (flags & (kIsList | kIsTuple)) label_items(o, flags);
  if (flags & kIsType) label_class(o);
  if (flags & kIsError) label_error(o);
  if (!wanted_.is_done()) label_known_type(o);
  if (!wanted_.is_done() && derives_from(type_of(o), "numpy.ndarray")) label_array(o);
  if (!wanted_.is_done() && derives_from(type_of(o), "collections.deque")) label_deque(o);
  if (!wanted_.is_done()) label_members(o);
  if (!wanted_.is_done()) label_attributes(o);
  if (wanted_.is_done()) return;
  const char* rest = ".?";
  if (is_named(o, "functools._lru_cache_wrapper")) rest = " cached result";
  if (derives_from(type_of(o), "set") || derives_from(type_of(o), "frozenset")) rest = " item";
  if (derives_from(type_of(o), "_thread._local")) rest = " thread-local values";
  if (is_named(o, "module")) rest = " exit-callback";  // of `atexit`: others have names for all
  wanted_.each([&](WantedLabels::Slot& slot) {
    if (slot.label == 0) wanted_.close(&slot, texts_.add(rest));
  });
}

// ---- all of them ----

Object EdgeLabels::object(const PrunedGraph& pruned, uint32_t node) const noexcept {
  const HeapNode& n = heap_.nodes[pruned.heap_node[node]];
  return n.type ? reinterpret_cast<Object>(n.key) : nullptr;
}

void EdgeLabels::note_closures(const PrunedGraph& pruned) noexcept {
  for (uint32_t i = 0; i < pruned.size(); ++i) {
    Object o = object(pruned, i);
    if (!o || !is_named(o, "function")) continue;
    Object closure = load_pointer(o, api_.objects->function_closure);
    bool fresh;
    uint32_t* index =
        closure ? closures_.find_or_add(reinterpret_cast<uint64_t>(closure), &fresh) : nullptr;
    if (!index || !fresh) continue;
    *index = static_cast<uint32_t>(codes_.size());
    codes_.push(load_pointer(o, api_.objects->function_code));
  }
}

// Edges of shortest ways first, then others while there is room.
void EdgeLabels::collect(const PrunedGraph& pruned, uint32_t node) noexcept {
  wanted_.clear();
  for (bool on_shortest_way : {true, false}) {
    for (uint32_t e = pruned.first_edge[node]; e < pruned.first_edge[node + 1]; ++e) {
      uint32_t to = pruned.edges[e];
      if (wanted_.is_full()) return;
      if ((pruned.parent[to] == node) != on_shortest_way) continue;
      if (Object child = object(pruned, to)) wanted_.want(child, e);
    }
  }
}

void EdgeLabels::write(const PrunedGraph& pruned, Column<uint32_t>& labels) noexcept {
  if (!labels.extend_to(pruned.edges.size())) return;
  note_closures(pruned);
  for (uint32_t i = 1; i < pruned.size(); ++i) {
    const HeapNode& node = heap_.nodes[pruned.heap_node[i]];
    bool is_raw_frame = node.kind == static_cast<uint8_t>(NodeKind::frame_root) && !node.type;
    if (!node.type && !is_raw_frame) continue;
    collect(pruned, i);
    if (wanted_.is_done()) continue;
    if (is_raw_frame)
      label_frame(reinterpret_cast<Object>(node.key));
    else
      label(reinterpret_cast<Object>(node.key));
    wanted_.each([&](WantedLabels::Slot& slot) { labels[slot.edge] = slot.label; });
  }
}

}  // namespace tenure::inproc
