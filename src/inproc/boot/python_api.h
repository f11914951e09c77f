// inproc/boot/python_api.h: the few functions of CPython's C API the boot needs, found by name; no Python headers.
// World: inside. Filled once, before the boot; every call needs the GIL.
#pragma once
#include <cstddef>

namespace tenure::inproc {

struct PyObject;
using PyFunction = PyObject* (*)(PyObject* self, PyObject* args);

// Stable since Python 3.0.
struct PyMethod {
  const char* name;
  PyFunction function;
  int flags;
  const char* doc;
};
inline constexpr int kVarArgs = 1;      // METH_VARARGS
inline constexpr int kKeywords = 2;     // METH_KEYWORDS
inline constexpr int kNoArgs = 4;       // METH_NOARGS
inline constexpr int kOneArg = 8;       // METH_O
inline constexpr int kFastCall = 0x80;  // METH_FASTCALL
inline constexpr int kFileInput = 257;  // Py_file_input

struct PythonApi {
  int (*Py_IsInitialized)();
  int (*Py_AddPendingCall)(int (*)(void*), void*);
  void* (*PyGILState_GetThisThreadState)();
  PyObject* (*PyErr_Occurred)();
  void (*PyErr_Clear)();
  PyObject* (*PyDict_New)();
  ptrdiff_t (*PyDict_Size)(PyObject*);
  PyObject* (*PyImport_GetModuleDict)();
  int (*PyDict_SetItemString)(PyObject*, const char*, PyObject*);
  PyObject* (*PyEval_GetBuiltins)();
  PyObject* (*Py_CompileStringExFlags)(const char*, const char*, int, void*, int);
  PyObject* (*PyEval_EvalCode)(PyObject*, PyObject*, PyObject*);
  PyObject* (*PyCFunction_NewEx)(PyMethod*, PyObject*, PyObject*);
  PyObject* (*PyUnicode_FromStringAndSize)(const char*, ptrdiff_t);
  int (*PyArg_ParseTuple)(PyObject*, const char*, ...);
  PyObject* (*Py_BuildValue)(const char*, ...);
  PyObject* (*PyList_New)(ptrdiff_t);
  int (*PyList_Append)(PyObject*, PyObject*);
  ptrdiff_t (*PyList_Size)(PyObject*);
  PyObject* (*PyList_GetItem)(PyObject*, ptrdiff_t);
  void (*Py_IncRef)(PyObject*);
  void (*Py_DecRef)(PyObject*);
  PyObject* (*PyObject_CallObject)(PyObject*, PyObject*);
  unsigned long long (*PyLong_AsUnsignedLongLong)(PyObject*);
  int (*PyObject_GetBuffer)(PyObject*, void*, int);
  void (*PyBuffer_Release)(void*);
  PyObject* (*PyObject_Call)(PyObject*, PyObject*, PyObject*);
  PyObject* (*PyObject_GetAttrString)(PyObject*, const char*);
  int (*PyObject_SetAttrString)(PyObject*, const char*, PyObject*);
  PyObject* (*PyInstanceMethod_New)(PyObject*);
  PyObject* (*PyTuple_GetItem)(PyObject*, ptrdiff_t);
  PyObject* (*PyTuple_GetSlice)(PyObject*, ptrdiff_t, ptrdiff_t);
  ptrdiff_t (*PyTuple_Size)(PyObject*);
  void (*PyErr_Fetch)(PyObject**, PyObject**, PyObject**);
  void (*PyErr_Restore)(PyObject*, PyObject*, PyObject*);
  void (*PyErr_NormalizeException)(PyObject**, PyObject**, PyObject**);
  int (*PyErr_ExceptionMatches)(PyObject*);
  void (*PyErr_SetInterrupt)();
  PyObject** PyExc_KeyboardInterrupt;
  PyObject** PyExc_ValueError;
  void* (*PyInterpreterState_Get)();  // of several in one process, the one that this thread runs
  void* (*PyEval_SaveThread)();
  void (*PyEval_RestoreThread)(void*);
  // These two may be missing.
  long (*PyImport_GetMagicNumber)();
  PyObject* (*PyMarshal_ReadObjectFromString)(const char*, ptrdiff_t);
};

// False: some function is not there; the adapters stay off.
bool find_python_api(PythonApi* api) noexcept;

}  // namespace tenure::inproc
