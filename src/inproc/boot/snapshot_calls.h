// inproc/boot/snapshot_calls.h: snapshots as the program's Python sees them: on demand, at exit, and by themselves when
// memory grows.
// World: inside, with the GIL.
#pragma once
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

// Makes snapshots possible, or tells in a fact why not. At the boot, once.
void start_snapshots(const PythonApi& api) noexcept;

// snapshot(reason, buffers, own) -> whether one was taken. `buffers`: [(object, address), ...]; `own`: [object, ...]
PyObject* take_snapshot(PyObject*, PyObject* args) noexcept;
// snapshot_due(reason) -> whether snapshot() with that reason would take one
PyObject* is_snapshot_due(PyObject*, PyObject* args) noexcept;
// on_growth(function): what to call, in the main thread, when memory has grown
PyObject* set_on_growth(PyObject*, PyObject* args) noexcept;

}  // namespace tenure::inproc
