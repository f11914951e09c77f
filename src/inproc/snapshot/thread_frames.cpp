#include "inproc/snapshot/thread_frames.h"

#include "base/source_path.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;

constexpr int kMostFrames = 100000;  // a longer chain is a misread
constexpr char kOwnFile[] = "<tenure>";

// From 3.14 on the low bits of a reference say how it is held.
Object untagged(uint64_t word) noexcept { return reinterpret_cast<Object>(word & ~uint64_t{3}); }

int64_t tuple_size(Object tuple) noexcept {
  return tuple ? load<int64_t>(tuple, kVarObjectSize) : 0;
}

bool is_own_code(const HeapApi& api, Object code) noexcept {
  StrView file = view_str(*api.frames, load_pointer(code, api.frames->code_file));
  return file.width == 1 && file.length >= static_cast<int64_t>(sizeof kOwnFile - 1) &&
         memcmp(file.data, kOwnFile, sizeof kOwnFile - 1) == 0;
}

Object innermost_frame(const HeapApi& api, Object thread) noexcept {
  Object at = load_pointer(thread, api.frames->thread_frame);
  if (at && api.frames->cframe_frame != kNoField) at = load_pointer(at, api.frames->cframe_frame);
  return at;
}

bool runs_python(const HeapApi& api, Object frame) noexcept {
  if (api.version() < 0x30b) return true;
  if (api.version() >= 0x30c && load<uint8_t>(frame, api.frames->frame_owner) >= kFirstShimOwner)
    return false;
  Object code = code_of_frame(api, frame);
  return code && is_named(code, "code");
}

uint32_t frame_node(GraphBuilder& builder, Object frame) noexcept {
  if (builder.api().version() < 0x30b) {
    uint32_t node = builder.node_of(frame);
    builder.graph().nodes[node].kind = static_cast<uint8_t>(NodeKind::frame_root);
    return node;
  }
  return builder.add_node(reinterpret_cast<uint64_t>(frame), NodeKind::frame_root);
}

void add_frames_of(GraphBuilder& builder, Object thread, Object thread_name,
                   bool is_main) noexcept {
  const HeapApi& api = builder.api();
  Object frame = innermost_frame(api, thread);
  for (int i = 0; frame && i < kMostFrames;
       ++i, frame = load_pointer(frame, api.frames->frame_back)) {
    if (!runs_python(api, frame)) continue;
    Object code = code_of_frame(api, frame);
    uint32_t node = frame_node(builder, frame);
    builder.graph().nodes[node].flags |= ledger::kNodeIsNamespace;
    if (is_own_code(api, code))
      builder.graph().nodes[node].flags |= kSilent;
    else
      builder.root({node, code, thread_name, is_main});
  }
}

bool is_users_module(const PythonReader& reader, Object code) noexcept {
  char text[512];
  reader.copy_plain_name(code, text, sizeof text);
  if (strcmp(text, "<module>") != 0) return false;
  reader.copy_file_name(code, text, sizeof text);
  return is_user_file(text);
}

// threading._active: {ident: Thread}
Object active_threads(const HeapApi& api) noexcept {
  Object module = find_item(api, api.PyImport_GetModuleDict(), "threading");
  Object names = module ? instance_dict(module, api.version()) : nullptr;
  Object active = names ? find_item(api, names, "_active") : nullptr;
  return active && flags_of(active) & kIsDict ? active : nullptr;
}

Object name_of_thread(const HeapApi& api, Object active, uint64_t ident) noexcept {
  ptrdiff_t at = 0;
  char *key, *thread;
  while (active && api.PyDict_Next(active, &at, &key, &thread)) {
    int64_t number;
    if (!(flags_of(key) & kIsLong) || !read_int(key, api.version(), &number)) continue;
    if (static_cast<uint64_t>(number) != ident) continue;
    Object name = find_attribute(api, thread, "_name");
    return name && flags_of(name) & kIsStr ? name : nullptr;
  }
  return nullptr;
}

}  // namespace

Object code_of_frame(const HeapApi& api, Object frame) noexcept {
  return untagged(load<uint64_t>(frame, api.frames->frame_code));
}

Object inner_frame(const HeapApi& api, Object frame_object) noexcept {
  if (api.version() < 0x30b) return frame_object;
  return load_pointer(frame_object, api.objects->frame_inner);
}

FrameSlots::FrameSlots(const HeapApi& api, Object frame) noexcept
    : slots_(frame + api.objects->frame_locals_plus) {
  const ObjectLayout& layout = *api.objects;
  Object code = code_of_frame(api, frame);
  if (api.version() < 0x30b) {
    names_[0] = load_pointer(code, layout.code_local_names);
    names_[1] = load_pointer(code, layout.code_cell_names);
    names_[2] = load_pointer(code, layout.code_free_names);
    for (Object names : names_) named_ += tuple_size(names);
    count_ = named_;
    return;
  }
  names_[0] = load_pointer(code, layout.code_locals_plus_names);
  count_ = named_ = load<int>(code, layout.code_locals_plus_count);
  if (layout.frame_stack_top == kNoField) return;
  // Only valid while the frame waits in a Python call; what stands above is old then.
  int64_t top = load<int>(frame, layout.frame_stack_top);
  if (top >= named_ && top <= named_ + load<int>(code, layout.code_stack_size)) count_ = top;
}

Object FrameSlots::name(int64_t i) const noexcept {
  if (i >= named_) return nullptr;
  for (Object names : names_) {
    int64_t size = tuple_size(names);
    if (i < size) return tuple_item(names, i);
    i -= size;
  }
  return nullptr;
}

bool FrameSlots::next(FrameSlot* slot) noexcept {
  for (; at_ < count_; ++at_) {
    Object value = untagged(load<uint64_t>(slots_, static_cast<int>(at_) * 8));
    if (!value) continue;
    *slot = {name(at_++), value};
    return true;
  }
  return false;
}

void walk_frame(GraphBuilder& builder, Object frame) noexcept {
  const HeapApi& api = builder.api();
  if (api.version() < 0x30b) return;
  FrameSlots slots(api, frame);
  for (FrameSlot slot; slots.next(&slot);) builder.lead_to(slot.value);
  Object function = untagged(load<uint64_t>(frame, api.objects->frame_function));
  if (function) builder.lead_to(function);
  Object locals = load_pointer(frame, api.objects->frame_locals);
  // At module level these are the module's globals, which the module holds.
  if (locals && locals != load_pointer(frame, api.objects->frame_globals)) builder.lead_to(locals);
}

Object running_module(const HeapApi& api, const PythonReader& reader) noexcept {
  char* thread = api.PyInterpreterState_ThreadHead(api.PyInterpreterState_Main());
  while (thread && load<uint64_t>(thread, api.objects->thread_ident) != api.main_thread)
    thread = api.PyThreadState_Next(thread);
  Object found = nullptr, frame = thread ? innermost_frame(api, thread) : nullptr;
  for (int i = 0; frame && i < kMostFrames;
       ++i, frame = load_pointer(frame, api.frames->frame_back)) {
    if (!runs_python(api, frame)) continue;
    Object code = code_of_frame(api, frame);
    if (is_users_module(reader, code)) found = code;
  }
  return found;
}

void add_thread_frames(GraphBuilder& builder) noexcept {
  const HeapApi& api = builder.api();
  Object active = active_threads(api);
  char* thread = api.PyInterpreterState_ThreadHead(api.PyInterpreterState_Main());
  for (; thread; thread = api.PyThreadState_Next(thread)) {
    auto ident = load<uint64_t>(thread, api.objects->thread_ident);
    add_frames_of(builder, thread, name_of_thread(api, active, ident), ident == api.main_thread);
  }
}

}  // namespace tenure::inproc
