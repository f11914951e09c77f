#include "inproc/snapshot/heap_api.h"

#include <pthread.h>

#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

template <class Function>
bool find(const char* name, Function* out) noexcept {
  *out = reinterpret_cast<Function>(find_symbol(name));
  return *out != nullptr;
}

char* next_in_list(const char* head) noexcept {
  return reinterpret_cast<char*>(load<uintptr_t>(head, 0) & ~uintptr_t{1});
}

// A new object is put last into the youngest generation, so its successor is that list's head. The other heads follow
// it, and after the third a pointer back to the first: that proves the layout.
bool find_generations(HeapApi* api) noexcept {
  char* (*new_list)(ptrdiff_t);
  void (*drop)(char*);
  if (!find("PyList_New", &new_list) || !find("Py_DecRef", &drop)) return false;
  char* list = new_list(0);
  if (!list) return false;
  char* youngest = next_in_list(list - api->objects->gc_head);
  drop(list);
  if (!youngest) return false;
  int step = api->objects->gc_head == 32 ? 48 : 24;
  if (load_pointer(youngest, 3 * step) != youngest) return false;
  for (int i = 0; i < 3; ++i) api->generations[i] = youngest + i * step;
  int frozen = 3 * step + (step == 48 ? 16 : 8);
  api->generations[3] = youngest + frozen;
  for (char* head : api->generations) {
    if (!next_in_list(head) || load<uintptr_t>(next_in_list(head), 0) == 0) return false;
  }
  return true;
}

}  // namespace

bool find_heap_api(int version, HeapApi* api) noexcept {
  api->objects = object_layout(version);
  api->frames = python_layout(version);
  if (!api->objects || !api->frames) return false;
  api->main_thread = static_cast<uint64_t>(pthread_self());
#define FIND(name) find(#name, &api->name)
  if (!FIND(PyDict_Next) || !FIND(PyImport_GetModuleDict) || !FIND(PyInterpreterState_ThreadHead) ||
      !FIND(PyThreadState_Next))
    return false;
  if (!FIND(PyInterpreterState_Main) &&
      !find("PyInterpreterState_Head", &api->PyInterpreterState_Main))
    return false;
  ObjectInfo binary;
  if (object_of(reinterpret_cast<uintptr_t>(api->PyDict_Next), &binary))
    api->interpreter = {binary.start, binary.end};
  if (version >= 0x30c) return FIND(PyUnstable_GC_VisitObjects);
#undef FIND
  return find_generations(api);
}

bool is_text(const HeapApi& api, Object str, const char* text) noexcept {
  if (!str || !(flags_of(str) & kIsStr)) return false;
  StrView view = view_str(*api.frames, str);
  size_t length = strlen(text);
  return view.width == 1 && view.length == static_cast<int64_t>(length) &&
         memcmp(view.data, text, length) == 0;
}

Object find_item(const HeapApi& api, Object dict, const char* name) noexcept {
  ptrdiff_t at = 0;
  char *key, *value;
  while (api.PyDict_Next(dict, &at, &key, &value)) {
    if (is_text(api, key, name)) return value;
  }
  return nullptr;
}

Object find_attribute(const HeapApi& api, Object o, const char* name) noexcept {
  InlineValues inside;
  if (inline_values(o, *api.objects, &inside)) {
    for (int64_t i = 0; i < inside.count; ++i) {
      if (is_text(api, load_pointer(inside.names, static_cast<int>(i) * 16), name))
        return inside.values[i];
    }
  }
  Object dict = instance_dict(o, api.version());
  return dict ? find_item(api, dict, name) : nullptr;
}

void each_tracked(const HeapApi& api, Visit visit, void* context) noexcept {
  if (api.PyUnstable_GC_VisitObjects) return api.PyUnstable_GC_VisitObjects(visit, context);
  for (char* head : api.generations) {
    for (char* at = next_in_list(head); at != head; at = next_in_list(at))
      visit(at + api.objects->gc_head, context);
  }
}

}  // namespace tenure::inproc
