// inproc/boot/adapter_code.h: the adapters that travel inside the library, as code objects of the running interpreter.
// World: inside, with the GIL.
#pragma once
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

// A new reference, or nullptr with a Python error set. From the code that was compiled when the library was built, if that
// was for this very bytecode; else from its source. None if there is no adapter of that name.
PyObject* adapter_code(const PythonApi& api, const char* name) noexcept;

// A list of the names of all adapters.
PyObject* adapter_names(const PythonApi& api) noexcept;

}  // namespace tenure::inproc
