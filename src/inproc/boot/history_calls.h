// inproc/boot/history_calls.h: what Python adapters may say of scopes, lifetime errors and causes of growth.
// World: inside. With the GIL, from the adapters only. Frames are [(file, function, line), ...], outermost first.
#pragma once
#include "base/ids.h"
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

void start_history_calls(const PythonApi& api) noexcept;

StringId intern_text(const char* text) noexcept;
// False, with an exception set: it is no list of frames.
bool intern_frames(PyObject* list, StackId* out) noexcept;

PyObject* add_scope(PyObject*,
                    PyObject* args) noexcept;  // scope(kind, name, frames) -> id; 0: no room
PyObject* set_scope_state(PyObject*, PyObject* args) noexcept;  // scope_state(id, state, frames)
PyObject* set_scope_count(PyObject*, PyObject* args) noexcept;  // scope_count(id, items, bytes)
// lifetime_error(kind, severity, title, why, fix, error_type, error_message, holder, [(role, frames), ...])
PyObject* add_lifetime_error(PyObject*, PyObject* args) noexcept;
// cause(key, kind, holder, why, fix, frames)
PyObject* count_cause(PyObject*, PyObject* args) noexcept;

}  // namespace tenure::inproc
