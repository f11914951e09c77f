// inproc/boot/snapshot_calls.h: snapshots as the program's Python sees them: on demand, at exit, and by themselves when
// memory grows.
// World: inside, with the GIL.
#pragma once
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

// Makes snapshots possible, or tells in a fact why not. At the boot, once.
void start_snapshots(const PythonApi& api) noexcept;

// For another supervisor than the one before: nothing if snapshots were never possible.
void resume_snapshots() noexcept;

// stop_snapshots(): no more by themselves; the interpreter is about to end
PyObject* stop_snapshots(PyObject*, PyObject* args) noexcept;

// snapshot(reason, objects, addresses, sources, targets) -> whether one was taken. Lists in pairs: where the data of these
// objects is, and which objects keep which others although no Python reference says so
PyObject* take_snapshot(PyObject*, PyObject* args) noexcept;
// snapshot_due(reason) -> whether snapshot() with that reason would take one
PyObject* is_snapshot_due(PyObject*, PyObject* args) noexcept;
// on_growth(function): what to call, in the main thread, with the reason, when a snapshot is due by itself; without it no
// bytecode runs for that
PyObject* set_on_growth(PyObject*, PyObject* args) noexcept;
// loading(begins): a framework is being imported, or that is over
PyObject* note_loading(PyObject*, PyObject* args) noexcept;
// instances(*types) -> list of all tracked objects of these types, decided by type(o).__mro__ alone. A walk over all
// objects: some 50 ns for each.
PyObject* find_instances(PyObject*, PyObject* args) noexcept;
// buffer_address(object) -> where the memory it lends by the buffer protocol begins
PyObject* buffer_address(PyObject*, PyObject* args) noexcept;
// who_holds(address) -> what the supervisor says of it, from the snapshot taken last; empty if it says nothing
PyObject* ask_who_holds(PyObject*, PyObject* args) noexcept;
// record_until_now() -> the record's folder, which then has all up to this call; empty where nobody keeps one
PyObject* record_until_now(PyObject*, PyObject*) noexcept;

}  // namespace tenure::inproc
