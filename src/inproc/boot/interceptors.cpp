#include "inproc/boot/interceptors.h"

#include <stdint.h>
#include <string.h>

#include <utility>

#include "inproc/accounting/metered_part.h"

namespace tenure::inproc {
namespace {

PythonApi g_api;
void* g_interpreter = nullptr;  // whose the callbacks are

struct Parts {
  PyObject *original, *before, *after, *error;
  const char* name;
};

PyObject* none() noexcept { return g_api.Py_BuildValue(""); }

bool is_none(PyObject* object) noexcept {
  PyObject* the_none = none();
  g_api.Py_DecRef(the_none);  // one of many references
  return object == the_none;
}

// A callback failed: no error of ours reaches the program, but a Ctrl-C that came in it must.
void swallow_error() noexcept {
  bool is_interrupt = g_api.PyErr_ExceptionMatches(*g_api.PyExc_KeyboardInterrupt) != 0;
  g_api.PyErr_Clear();
  if (is_interrupt) g_api.PyErr_SetInterrupt();
}

void switch_off(PyObject* interceptor, const Parts& parts) noexcept {
  PyObject* bare =
      g_api.Py_BuildValue("(ONNNs)", parts.original, none(), none(), none(), parts.name);
  if (!bare || g_api.PyObject_SetAttrString(interceptor, "parts", bare) != 0) g_api.PyErr_Clear();
  if (bare) g_api.Py_DecRef(bare);
  // At the very end the adapters' own names are gone before the last objects are, and there is nothing left to miss.
  if (!accounting().is_exiting()) accounting().add_fact(parts.name, "off: it failed");
}

void tell(PyObject* interceptor, const Parts& parts, PyObject* callback, PyObject* args,
          PyObject* kwargs) noexcept {
  MeteredCall metered;
  PyObject* done = args ? g_api.PyObject_Call(callback, args, kwargs) : nullptr;
  if (done) {
    g_api.Py_DecRef(done);
    return;
  }
  bool is_interrupt = g_api.PyErr_ExceptionMatches(*g_api.PyExc_KeyboardInterrupt) != 0;
  swallow_error();
  if (!is_interrupt) switch_off(interceptor, parts);
}

void tell_result(PyObject* interceptor, const Parts& parts, PyObject* result, PyObject* args,
                 PyObject* kwargs) noexcept {
  PyObject* given = kwargs ? g_api.Py_BuildValue("(OOO)", result, args, kwargs)
                           : g_api.Py_BuildValue("(OO{})", result, args);
  tell(interceptor, parts, parts.after, given, nullptr);
  if (given) g_api.Py_DecRef(given);
}

void tell_error(PyObject* interceptor, const Parts& parts, PyObject* args,
                PyObject* kwargs) noexcept {
  PyObject *type, *value, *traceback;
  g_api.PyErr_Fetch(&type, &value, &traceback);
  g_api.PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* none_ref = none();
  PyObject* empty = kwargs ? nullptr : g_api.PyDict_New();
  PyObject* given = g_api.Py_BuildValue("(OOOO)", value ? value : none_ref,
                                        traceback ? traceback : none_ref, args,
                                        kwargs  ? kwargs
                                        : empty ? empty
                                                : none_ref);
  tell(interceptor, parts, parts.error, given, nullptr);
  if (given) g_api.Py_DecRef(given);
  if (empty) g_api.Py_DecRef(empty);
  g_api.Py_DecRef(none_ref);
  g_api.PyErr_Restore(type, value, traceback);
}

PyObject* call_with_parts(PyObject* interceptor, const Parts& parts, PyObject* args,
                          PyObject* kwargs) noexcept {
  if (!is_none(parts.before)) tell(interceptor, parts, parts.before, args, kwargs);
  PyObject* result = g_api.PyObject_Call(parts.original, args, kwargs);
  if (result && !is_none(parts.after)) tell_result(interceptor, parts, result, args, kwargs);
  if (!result && !is_none(parts.error)) tell_error(interceptor, parts, args, kwargs);
  return result;
}

// (interceptor, *args, **kwargs)
PyObject* call_interceptor(PyObject*, PyObject* all, PyObject* kwargs) noexcept {
  PyObject* interceptor = g_api.PyTuple_GetItem(all, 0);
  PyObject* held = interceptor ? g_api.PyObject_GetAttrString(interceptor, "parts") : nullptr;
  if (!held) return nullptr;
  Parts parts{};
  PyObject* result = nullptr;
  if (g_api.PyArg_ParseTuple(held, "OOOOs", &parts.original, &parts.before, &parts.after,
                             &parts.error, &parts.name)) {
    if (PyObject* args = g_api.PyTuple_GetSlice(all, 1, g_api.PyTuple_Size(all))) {
      result = call_with_parts(interceptor, parts, args, kwargs);
      g_api.Py_DecRef(args);
    }
  }
  g_api.Py_DecRef(held);
  return result;
}

PyMethod g_call_interceptor = {
    "intercepted", reinterpret_cast<PyFunction>(reinterpret_cast<void*>(&call_interceptor)),
    kVarArgs | kKeywords, nullptr};

// --- methods of built-in types: the C function behind the method is exchanged, the method object stays what it is ---

constexpr size_t kMostMethods = 96;

struct Watched {
  void* real;
  PyObject *after, *error;  // nullptr: nobody asks
};
Watched g_watched[kMostMethods];
size_t g_watched_count = 0;  // guarded by the GIL

// The methods of built-in types are shared by all interpreters of the process; objects are not.
bool is_at_home() noexcept { return g_api.PyInterpreterState_Get() == g_interpreter; }

void tell_quietly(PyObject* callback, PyObject* given) noexcept {
  MeteredCall metered;
  PyObject* done = given ? g_api.PyObject_Call(callback, given, nullptr) : nullptr;
  if (done)
    g_api.Py_DecRef(done);
  else
    swallow_error();
  if (given) g_api.Py_DecRef(given);
}

PyObject* tell_end(const Watched& watched, PyObject* self, PyObject* result) noexcept {
  if (result && watched.after && is_at_home())
    tell_quietly(watched.after, g_api.Py_BuildValue("(O)", self));
  if (result || !watched.error || !is_at_home() ||
      !g_api.PyErr_ExceptionMatches(*g_api.PyExc_ValueError))
    return result;
  PyObject *type, *value, *traceback;
  g_api.PyErr_Fetch(&type, &value, &traceback);
  g_api.PyErr_NormalizeException(&type, &value, &traceback);
  if (value) tell_quietly(watched.error, g_api.Py_BuildValue("(OO)", self, value));
  g_api.PyErr_Restore(type, value, traceback);
  return nullptr;
}

using TwoArguments = PyObject* (*)(PyObject*, PyObject*);
using FastArguments = PyObject* (*)(PyObject*, PyObject* const*, ptrdiff_t);

template <size_t kIndex>
PyObject* watched_two(PyObject* self, PyObject* argument) noexcept {
  const Watched& watched = g_watched[kIndex];
  return tell_end(watched, self, reinterpret_cast<TwoArguments>(watched.real)(self, argument));
}

template <size_t kIndex>
PyObject* watched_fast(PyObject* self, PyObject* const* args, ptrdiff_t count) noexcept {
  const Watched& watched = g_watched[kIndex];
  return tell_end(watched, self, reinterpret_cast<FastArguments>(watched.real)(self, args, count));
}

struct Trampoline {
  TwoArguments two;
  FastArguments fast;
};

template <size_t... kIndex>
const Trampoline* trampolines(std::index_sequence<kIndex...>) noexcept {
  static constexpr Trampoline kAll[] = {{&watched_two<kIndex>, &watched_fast<kIndex>}...};
  return kAll;
}

// PyMethodDescrObject: PyObject_HEAD, d_type, d_name, d_qualname, d_method; the same since Python 3.3.
constexpr size_t kMethodAt = 40;

// nullptr: not a method of that name and of a way of calling we know.
PyMethod* method_of(PyObject* descriptor, const char* name) noexcept {
  PyMethod* method;
  memcpy(&method, reinterpret_cast<const char*>(descriptor) + kMethodAt, sizeof(PyMethod*));
  if (!method || strcmp(method->name, name) != 0) return nullptr;
  bool is_known =
      method->flags == kNoArgs || method->flags == kOneArg || method->flags == kFastCall;
  return is_known ? method : nullptr;
}

PyObject* kept(PyObject* callback) noexcept {
  return is_none(callback) ? nullptr : g_api.Py_BuildValue("O", callback);
}

// --- calls of objects: the pointer inside the object is exchanged, the object stays what it is ---

using Vectorcall = PyObject* (*)(PyObject*, PyObject* const*, size_t, PyObject*);
Vectorcall g_real_call = nullptr;  // guarded by the GIL, as the next
PyObject* g_before_call = nullptr;

// Without PY_VECTORCALL_ARGUMENTS_OFFSET.
constexpr size_t kCountMask = ~(size_t{1} << (8 * sizeof(size_t) - 1));

PyObject* watched_call(PyObject* callable, PyObject* const* args, size_t flagged,
                       PyObject* names) noexcept {
  size_t positional = flagged & kCountMask;
  size_t count = positional + (names ? static_cast<size_t>(g_api.PyTuple_Size(names)) : 0);
  PyObject* given = g_api.PyList_New(0);
  for (size_t i = 0; given && i < count; ++i) g_api.PyList_Append(given, args[i]);
  PyObject* others = names ? g_api.Py_BuildValue("O", names) : none();
  if (given)
    tell_quietly(g_before_call, g_api.Py_BuildValue("(ONnN)", callable, given,
                                                    static_cast<ptrdiff_t>(positional), others));
  return g_real_call(callable, args, flagged, names);
}

// PyObject and PyTypeObject since Python 3.8, when the flag got this meaning.
constexpr size_t kTypeAt = 8, kCallOffsetAt = 56, kFlagsAt = 168;
constexpr uint64_t kHasVectorcall = 1 << 11;

template <class Value>
Value read_at(const void* base, size_t offset) noexcept {
  Value value;
  memcpy(&value, static_cast<const char*>(base) + offset, sizeof(Value));
  return value;
}

// Where the object keeps the function it is called through; nullptr: nowhere.
char* vectorcall_of(PyObject* object) noexcept {
  const auto* type = read_at<const void*>(object, kTypeAt);
  auto offset = read_at<ptrdiff_t>(type, kCallOffsetAt);
  bool has_one = (read_at<uint64_t>(type, kFlagsAt) & kHasVectorcall) != 0 && offset > 0;
  return has_one ? reinterpret_cast<char*>(object) + offset : nullptr;
}

}  // namespace

PyObject* make_interceptor_call(const PythonApi& api) noexcept {
  g_api = api;
  g_interpreter = api.PyInterpreterState_Get();
  PyObject* function = g_api.PyCFunction_NewEx(&g_call_interceptor, nullptr, nullptr);
  PyObject* method = function ? g_api.PyInstanceMethod_New(function) : nullptr;
  if (function) g_api.Py_DecRef(function);
  return method;
}

PyObject* watch_method(PyObject*, PyObject* args) noexcept {
  PyObject *descriptor, *after, *error;
  const char* name;
  if (!g_api.PyArg_ParseTuple(args, "OsOO", &descriptor, &name, &after, &error)) return nullptr;
  PyMethod* method = method_of(descriptor, name);
  if (!method || g_watched_count == kMostMethods) return g_api.Py_BuildValue("i", 0);
  size_t index = g_watched_count++;
  const Trampoline& trampoline = trampolines(std::make_index_sequence<kMostMethods>{})[index];
  g_watched[index] = {reinterpret_cast<void*>(method->function), kept(after), kept(error)};
  void* ours = method->flags == kFastCall ? reinterpret_cast<void*>(trampoline.fast)
                                          : reinterpret_cast<void*>(trampoline.two);
  method->function = reinterpret_cast<PyFunction>(ours);
  return g_api.Py_BuildValue("i", 1);
}

PyObject* watch_calls(PyObject*, PyObject* args) noexcept {
  PyObject *callable, *before;
  if (!g_api.PyArg_ParseTuple(args, "OO", &callable, &before)) return nullptr;
  char* at = vectorcall_of(callable);
  auto real = at ? read_at<Vectorcall>(at, 0) : nullptr;
  if (real == &watched_call) return g_api.Py_BuildValue("i", 1);
  if (!real || (g_real_call && real != g_real_call)) return g_api.Py_BuildValue("i", 0);
  g_real_call = real;
  if (!g_before_call) g_before_call = kept(before);
  Vectorcall ours = &watched_call;
  memcpy(at, &ours, sizeof(ours));
  return g_api.Py_BuildValue("i", 1);
}

}  // namespace tenure::inproc
