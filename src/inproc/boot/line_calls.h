// inproc/boot/line_calls.h: lines for blocks that a framework's own threads make: no Python runs there, but the object
// that owns the block may remember who asked for it.
// World: inside. The calls with the GIL; note_foreign_birth in any thread.
#pragma once
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

void start_line_calls(const PythonApi& api) noexcept;

// After a birth: if it was in a thread that Python does not know, and somebody asked to be told.
void note_foreign_birth() noexcept;

// on_foreign_births(callback): told from time to time, in the main thread, that there were such births.
PyObject* set_on_foreign_births(PyObject*, PyObject* args) noexcept;

// born_without_python(address) -> tick of the birth of the block there, 0 if it has a Python stack or is not tracked.
PyObject* born_without_python(PyObject*, PyObject* args) noexcept;

// stack_of_codes(code objects, offsets of their instructions), innermost first -> number of the stack.
PyObject* stack_of_codes(PyObject*, PyObject* args) noexcept;

// lend_stack(address, number of a stack): the block there was made for that stack.
PyObject* lend_stack(PyObject*, PyObject* args) noexcept;

}  // namespace tenure::inproc
