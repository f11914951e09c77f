#include "inproc/boot/python_boot.h"

#include <atomic>

#include "inproc/accounting/metered_part.h"
#include "inproc/boot/adapter_calls.h"
#include "inproc/boot/adapter_code.h"
#include "inproc/boot/python_api.h"
#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

PythonApi g_api;
std::atomic<int> g_state{0};  // 0 looking, 1 API found, 2 queued or given up

// code_of(name): of an adapter
PyObject* code_of(PyObject*, PyObject* args) noexcept {
  const char* name;
  return g_api.PyArg_ParseTuple(args, "s", &name) ? adapter_code(g_api, name) : nullptr;
}

PyMethod g_code_of = {"code_of", &code_of, kVarArgs, nullptr};

// {"native": {...}, "sources": [name], "is_attached": whether the program ran before} for the boot, in a namespace nobody else sees.
PyObject* make_namespace() noexcept {
  PyObject* space = g_api.PyDict_New();
  PyObject* sources = adapter_names(g_api);
  PyObject* native = make_adapter_calls(g_api);
  PyObject* function = g_api.PyCFunction_NewEx(&g_code_of, nullptr, nullptr);
  PyObject* is_late = g_api.Py_BuildValue("i", is_loaded_late() ? 1 : 0);
  if (!space || !sources || !native || !function || !is_late) return nullptr;
  g_api.PyDict_SetItemString(native, g_code_of.name, function);
  g_api.PyDict_SetItemString(space, "__builtins__", g_api.PyEval_GetBuiltins());
  g_api.PyDict_SetItemString(space, "native", native);
  g_api.PyDict_SetItemString(space, "sources", sources);
  g_api.PyDict_SetItemString(space, "is_attached", is_late);
  for (PyObject* given : {sources, native, function, is_late}) g_api.Py_DecRef(given);
  return space;
}

// In the main thread, with the GIL, between two bytecodes.
int boot(void*) noexcept {
  MeteredAdapters metered;
  PyObject* space = make_namespace();
  PyObject* code = space ? adapter_code(g_api, "_boot") : nullptr;
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
