#include "inproc/boot/python_api.h"

#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

template <class Function>
bool find(const char* name, Function* out) noexcept {
  *out = reinterpret_cast<Function>(find_symbol(name));
  return *out != nullptr;
}

void* (*g_thread_state)() = nullptr;

// Python 3.7 has the words in this order and no function for it: prev, next, interp.
void* interpreter_of_thread() noexcept { return static_cast<void**>(g_thread_state())[2]; }

bool find_interpreter(PythonApi* api) noexcept {
  if (find("PyInterpreterState_Get", &api->PyInterpreterState_Get) ||
      find("_PyInterpreterState_Get", &api->PyInterpreterState_Get))
    return true;
  api->PyInterpreterState_Get = &interpreter_of_thread;
  return find("PyThreadState_Get", &g_thread_state);
}

}  // namespace

bool find_python_api(PythonApi* api) noexcept {
#define FIND(name) find(#name, &api->name)
  (void)(FIND(PyImport_GetMagicNumber) && FIND(PyMarshal_ReadObjectFromString));
  return FIND(Py_IsInitialized) && FIND(Py_AddPendingCall) && FIND(PyGILState_GetThisThreadState) &&
         FIND(PyErr_Occurred) && FIND(PyErr_Clear) && FIND(PyDict_New) && FIND(PyDict_Size) &&
         FIND(PyImport_GetModuleDict) && FIND(PyDict_SetItemString) && FIND(PyEval_GetBuiltins) &&
         FIND(Py_CompileStringExFlags) && FIND(PyEval_EvalCode) && FIND(PyCFunction_NewEx) &&
         FIND(PyUnicode_FromStringAndSize) && FIND(PyArg_ParseTuple) && FIND(Py_BuildValue) &&
         FIND(PyList_New) && FIND(PyList_Append) && FIND(PyList_Size) && FIND(PyList_GetItem) &&
         FIND(Py_IncRef) && FIND(Py_DecRef) && FIND(PyObject_CallObject) &&
         FIND(PyLong_AsUnsignedLongLong) && FIND(PyObject_GetBuffer) && FIND(PyBuffer_Release) &&
         FIND(PyObject_Call) && FIND(PyObject_GetAttrString) && FIND(PyObject_SetAttrString) &&
         FIND(PyInstanceMethod_New) && FIND(PyTuple_GetItem) && FIND(PyTuple_GetSlice) &&
         FIND(PyTuple_Size) && FIND(PyErr_Fetch) && FIND(PyErr_Restore) &&
         FIND(PyErr_NormalizeException) && FIND(PyErr_ExceptionMatches) &&
         FIND(PyErr_SetInterrupt) && FIND(PyExc_KeyboardInterrupt) && FIND(PyExc_ValueError) &&
         FIND(PyEval_SaveThread) && FIND(PyEval_RestoreThread) && find_interpreter(api);
#undef FIND
}

}  // namespace tenure::inproc
