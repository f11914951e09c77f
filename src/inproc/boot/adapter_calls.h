// inproc/boot/adapter_calls.h: the words adapters can say to the ledger, as Python functions.
// World: inside, with the GIL.
#pragma once
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

// A dict name -> function: fact, step, event, stack, stack_of, reader_off,
// those of snapshot_calls.h, history_calls.h and interceptors.h. nullptr with a Python error set.
PyObject* make_adapter_calls(const PythonApi& api) noexcept;

}  // namespace tenure::inproc
