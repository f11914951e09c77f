// inproc/boot/interceptors.h: standing in for functions of a framework without a frame of our own: no traceback, no op's
// recorded stack and no `stacklevel` can tell that the call went through Tenure.
// World: inside, with the GIL.
#pragma once
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

// What `__call__` of the adapters' class Interceptor must be. An interceptor has `parts`: (original, before, after, error,
// name), the three in the middle a function or None: before(*args, **kwargs); after(result, args, kwargs) when it returned;
// error(exception, traceback, args, kwargs) when it raised. Their own failures switch the interceptor off and go no
// further. nullptr with a Python error set.
PyObject* make_interceptor_call(const PythonApi& api) noexcept;

// watch_method(descriptor, after, error): a method of a built-in type tells after(self) when it returned and error(self,
// exception) when it raised a ValueError. False: the method does not look as expected and is left alone.
PyObject* watch_method(PyObject*, PyObject* args) noexcept;

// watch_calls(callable, before): an object of a built-in type that is called through its own vectorcall pointer tells
// before(callable, given, positional count, names of the others or None) of each call; `given` is a list. One type and
// one `before` per process. False: the object does not look as expected and is left alone.
PyObject* watch_calls(PyObject*, PyObject* args) noexcept;

}  // namespace tenure::inproc
