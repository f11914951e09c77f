#include "inproc/boot/python_boot.h"

#include <atomic>

#include "inproc/accounting/accounting.h"
#include "inproc/boot/adapter_calls.h"
#include "inproc/boot/python_api.h"

namespace tenure::inproc {
namespace {

struct EmbeddedSource {
  const char* name;
  const char* text;
  long bytes;
};

#include "embedded_adapters.inc"  // const EmbeddedSource kSources[]: python/tenure/*.py

PythonApi g_api;
std::atomic<int> g_state{0};  // 0 looking, 1 API found, 2 queued or given up

// {"native": {...}, "sources": {name: text}} for the boot source, in a namespace nobody else sees.
PyObject* make_namespace() noexcept {
  PyObject* space = g_api.PyDict_New();
  PyObject* sources = g_api.PyDict_New();
  PyObject* native = make_adapter_calls(g_api);
  if (!space || !sources || !native) return nullptr;
  for (const EmbeddedSource& source : kSources) {
    PyObject* text = g_api.PyUnicode_FromStringAndSize(source.text, source.bytes);
    if (!text) return nullptr;
    g_api.PyDict_SetItemString(sources, source.name, text);
    g_api.Py_DecRef(text);
  }
  g_api.PyDict_SetItemString(space, "__builtins__", g_api.PyEval_GetBuiltins());
  g_api.PyDict_SetItemString(space, "native", native);
  g_api.PyDict_SetItemString(space, "sources", sources);
  g_api.Py_DecRef(sources);
  g_api.Py_DecRef(native);
  return space;
}

const char* boot_source() noexcept {
  for (const EmbeddedSource& source : kSources) {
    if (__builtin_strcmp(source.name, "_boot") == 0) return source.text;
  }
  return "";
}

// In the main thread, with the GIL, between two bytecodes.
int boot(void*) noexcept {
  PyObject* space = make_namespace();
  PyObject* code =
      space ? g_api.Py_CompileStringExFlags(boot_source(), "<tenure>", kFileInput, nullptr, -1)
            : nullptr;
  PyObject* done = code ? g_api.PyEval_EvalCode(code, space, space) : nullptr;
  if (!done) {
    g_api.PyErr_Clear();
    accounting().add_fact("adapters", "off: the boot source failed");
  }
  if (done) g_api.Py_DecRef(done);
  if (code) g_api.Py_DecRef(code);
  if (space) g_api.Py_DecRef(space);
  return 0;
}

}  // namespace

bool queue_python_boot() noexcept {
  int state = g_state.load(std::memory_order_acquire);
  if (state == 2) return true;
  if (state == 0) {
    state = find_python_api(&g_api) ? 1 : 2;
    g_state.store(state, std::memory_order_release);
    if (state == 2)
      accounting().add_fact("adapters", "off: this Python lacks a function Tenure needs");
  }
  if (state != 1 || !g_api.Py_IsInitialized() || !g_api.PyGILState_GetThisThreadState())
    return state == 2;
  if (!g_state.compare_exchange_strong(state, 2, std::memory_order_acq_rel)) return true;
  if (g_api.Py_AddPendingCall(&boot, nullptr) == 0) return true;
  g_state.store(1, std::memory_order_release);  // the queue was full: try again at a later birth
  return false;
}

}  // namespace tenure::inproc
