#include "inproc/boot/snapshot_calls.h"

#include <atomic>

#include "inproc/boot/supervisor_link.h"
#include "inproc/snapshot/snapshots.h"

namespace tenure::inproc {
namespace {

using ledger::SnapshotReason;

PythonApi g_api;
PyObject* g_on_growth = nullptr;       // guarded by the GIL
std::atomic<bool> g_is_queued{false};  // relaxed: one request too many does no harm

PyObject* as_bool(bool value) noexcept { return g_api.Py_BuildValue("i", value ? 1 : 0); }

// In the main thread, with the GIL, between two bytecodes.
int grow_call(void*) noexcept {
  PyObject* done = nullptr;
  if (g_on_growth && snapshots().may_take(SnapshotReason::growth))
    done = g_api.PyObject_CallObject(g_on_growth, nullptr);
  if (done)
    g_api.Py_DecRef(done);
  else
    g_api.PyErr_Clear();
  g_is_queued.store(false, std::memory_order_relaxed);
  return 0;
}

// After births, in any thread.
void watch_growth() noexcept {
  if (!snapshots().has_grown() || g_is_queued.exchange(true, std::memory_order_relaxed)) return;
  if (g_api.Py_AddPendingCall(&grow_call, nullptr) != 0)
    g_is_queued.store(false, std::memory_order_relaxed);
}

bool read_buffers(PyObject* list, Column<KnownBuffer>* out) noexcept {
  for (ptrdiff_t i = 0, n = g_api.PyList_Size(list); i < n; ++i) {
    PyObject* object;
    unsigned long long address;
    if (!g_api.PyArg_ParseTuple(g_api.PyList_GetItem(list, i), "OK", &object, &address))
      return false;
    out->push({reinterpret_cast<Object>(object), address});
  }
  return true;
}

}  // namespace

void start_snapshots(const PythonApi& api) noexcept {
  g_api = api;
  const char* refusal = snapshots().start(accounting(), {&announce_snapshot, &deliver_snapshot});
  accounting().add_fact("snapshots", refusal ? refusal : "on");
  if (!refusal) accounting().set_watch(&watch_growth);
}

PyObject* take_snapshot(PyObject*, PyObject* args) noexcept {
  int reason;
  PyObject *buffers, *own;
  if (!g_api.PyArg_ParseTuple(args, "iOO", &reason, &buffers, &own)) return nullptr;
  Column<KnownBuffer> known;
  Column<Object> silent;
  bool is_read = read_buffers(buffers, &known);
  for (ptrdiff_t i = 0, n = g_api.PyList_Size(own); i < n; ++i)
    silent.push(reinterpret_cast<Object>(g_api.PyList_GetItem(own, i)));
  bool is_taken = false;
  if (is_read) {
    KnownObjects objects{known.data(), known.size(), silent.data(), silent.size()};
    is_taken = snapshots().take(static_cast<SnapshotReason>(reason), objects);
  }
  known.release();
  silent.release();
  return is_read ? as_bool(is_taken) : nullptr;
}

PyObject* is_snapshot_due(PyObject*, PyObject* args) noexcept {
  int reason;
  if (!g_api.PyArg_ParseTuple(args, "i", &reason)) return nullptr;
  return as_bool(snapshots().may_take(static_cast<SnapshotReason>(reason)));
}

PyObject* set_on_growth(PyObject*, PyObject* args) noexcept {
  PyObject* function;
  if (!g_api.PyArg_ParseTuple(args, "O", &function)) return nullptr;
  g_on_growth = g_api.Py_BuildValue("O", function);  // one more reference: kept for good
  return as_bool(true);
}

}  // namespace tenure::inproc
