// inproc/snapshot/heap_api.h: what the walk needs from the interpreter: a few functions that neither allocate nor lock,
// and the heads of the collector's lists.
// World: inside. Found once, with the GIL; constant afterwards.
#pragma once
#include "inproc/snapshot/extension_type.h"
#include "inproc/snapshot/heap_graph.h"

namespace tenure::inproc {

struct HeapApi {
  const ObjectLayout* objects = nullptr;
  const PythonLayout* frames = nullptr;
  int (*PyDict_Next)(const char*, ptrdiff_t*, char**, char**) = nullptr;
  char* (*PyImport_GetModuleDict)() = nullptr;
  char* (*PyInterpreterState_Main)() = nullptr;  // 3.7: the newest one, which is the only one
  char* (*PyInterpreterState_ThreadHead)(char*) = nullptr;
  char* (*PyThreadState_Next)(char*) = nullptr;
  // 3.12+; before: the list heads of the collector's generations, the frozen one last.
  void (*PyUnstable_GC_VisitObjects)(Visit, void*) = nullptr;
  char* generations[4] = {};
  BinaryRange interpreter;
  uint64_t main_thread = 0;  // ident of the thread that found all this

  int version() const noexcept { return objects->version; }
};

// False: this interpreter cannot be walked. In the main thread, with the GIL: makes and drops one empty list.
bool find_heap_api(int version, HeapApi* api) noexcept;

// The value under a str key, or nullptr. Compares names, hashes nothing.
Object find_item(const HeapApi& api, Object dict, const char* name) noexcept;
// An attribute the object itself has, in its dict or inside; never one of its class.
Object find_attribute(const HeapApi& api, Object o, const char* name) noexcept;
bool is_text(const HeapApi& api, Object str, const char* text) noexcept;

// Calls visit(object, context) for everything the collector tracks.
void each_tracked(const HeapApi& api, Visit visit, void* context) noexcept;

}  // namespace tenure::inproc
