#include "inproc/boot/snapshot_calls.h"

#include <unistd.h>

#include <atomic>

#include "inproc/accounting/metered_part.h"
#include "inproc/boot/line_calls.h"
#include "inproc/boot/supervisor_link.h"
#include "inproc/os/clock.h"
#include "inproc/snapshot/snapshots.h"
#include "ledger/protocol.h"
#include "ledger/snapshot_layout.h"

namespace tenure::inproc {
namespace {

using ledger::SnapshotReason;

PythonApi g_api;
PyObject* g_on_growth = nullptr;       // guarded by the GIL; called with a reason
ptrdiff_t g_modules = 0;               // guarded by the GIL; as many were loaded when last asked
std::atomic<bool> g_is_queued{false};  // relaxed: one request too many does no harm

constexpr int kFullReadOnly = 0x11c;  // PyBUF_FULL_RO

PyObject* as_bool(bool value) noexcept { return g_api.Py_BuildValue("i", value ? 1 : 0); }

void call_python(SnapshotReason reason) noexcept {
  MeteredPart metered;
  uint64_t started = own_cpu_ns(), paused = snapshots().pause_ns();
  PyObject* args = g_api.Py_BuildValue("(i)", static_cast<int>(reason));
  PyObject* done = args ? g_api.PyObject_CallObject(g_on_growth, args) : nullptr;
  if (!done) g_api.PyErr_Clear();
  for (PyObject* o : {args, done})
    if (o) g_api.Py_DecRef(o);
  const uint64_t took = own_cpu_ns() - started;
  snapshots().count_pause(took - (snapshots().pause_ns() - paused));
  accounting().add_event(ledger::EventKind::pause, {}, {}, {}, took);
}

// Whether a library came since the last time we asked: what it takes for itself is no growth of the program's.
bool has_imported() noexcept {
  constexpr ptrdiff_t kLibrary = 16;  // modules
  ptrdiff_t before = g_modules;
  g_modules = g_api.PyDict_Size(g_api.PyImport_GetModuleDict());
  return g_modules >= before + kLibrary;
}

// In the main thread, with the GIL, between two bytecodes.
int take_due(void*) noexcept {
  MeteredPart metered;  // whoever detaches waits for it
  std::optional<SnapshotReason> reason = snapshots().due_reason();
  if (reason == SnapshotReason::growth && has_imported()) {
    snapshots().postpone();
    reason.reset();
  }
  if (reason && snapshots().may_take(*reason)) {
    if (g_on_growth)
      call_python(*reason);
    else
      snapshots().take(*reason, {});
  }
  g_is_queued.store(false, std::memory_order_relaxed);
  return 0;
}

// The main module may only begin to run when much has been made already, or never.
constexpr uint32_t kBirthsPerLook = 4;
constexpr int32_t kMostLooks = 256;
std::atomic<uint32_t> g_births{0};  // relaxed, as the others: a look more or less does no harm
std::atomic<int32_t> g_looks_left{kMostLooks};
std::atomic<bool> g_is_looking{false};

// In the main thread, with the GIL, between two bytecodes.
int keep_main_module(void*) noexcept {
  MeteredPart metered;
  Object code = snapshots().find_main_module();
  if (code) g_api.Py_IncRef(reinterpret_cast<PyObject*>(const_cast<char*>(code)));
  if (code) g_looks_left.store(0, std::memory_order_relaxed);
  g_is_looking.store(false, std::memory_order_relaxed);
  return 0;
}

void look_for_main_module() noexcept {
  if (g_births.fetch_add(1, std::memory_order_relaxed) % kBirthsPerLook != 0) return;
  if (!g_api.Py_IsInitialized() || g_is_looking.exchange(true, std::memory_order_relaxed)) return;
  g_looks_left.fetch_sub(1, std::memory_order_relaxed);
  if (g_api.Py_AddPendingCall(&keep_main_module, nullptr) != 0)
    g_is_looking.store(false, std::memory_order_relaxed);
}

void queue_snapshot() noexcept {
  if (!g_api.Py_IsInitialized()) return;  // libraries make blocks in their destructors too
  if (g_is_queued.exchange(true, std::memory_order_relaxed)) return;
  if (g_api.Py_AddPendingCall(&take_due, nullptr) != 0)
    g_is_queued.store(false, std::memory_order_relaxed);
}

// After births, in any thread.
void watch_growth() noexcept {
  note_foreign_birth();
  if (g_looks_left.load(std::memory_order_relaxed) > 0) look_for_main_module();
  if (snapshots().has_grown() || snapshots().is_wanted()) queue_snapshot();
}

// What a child inherits is named best while its parent still holds it as it was.
void watch_forks() noexcept {
  if (snapshots().note_fork()) queue_snapshot();
}

void watch_refusals(uint64_t bytes) noexcept {
  snapshots().note_refusal(bytes);
  if (snapshots().is_refusal_worth_a_look()) queue_snapshot();
}

void watch_for_snapshots() noexcept {
  accounting().set_watch(&watch_growth);
  accounting().set_fork_watch(&watch_forks);
  accounting().set_refusal_watch(&watch_refusals);
}

Object as_object(PyObject* o) noexcept { return reinterpret_cast<Object>(o); }

// False with a Python error set.
bool read_addresses(PyObject* objects, PyObject* addresses, Column<KnownLink>* out) noexcept {
  for (ptrdiff_t i = 0, n = g_api.PyList_Size(objects); i < n; ++i) {
    PyObject* number = g_api.PyList_GetItem(addresses, i);
    if (!number) return false;
    unsigned long long address = g_api.PyLong_AsUnsignedLongLong(number);
    if (g_api.PyErr_Occurred()) return false;
    out->push({as_object(g_api.PyList_GetItem(objects, i)), address, false});
  }
  return true;
}

bool read_references(PyObject* sources, PyObject* targets, Column<KnownLink>* out) noexcept {
  for (ptrdiff_t i = 0, n = g_api.PyList_Size(sources); i < n; ++i) {
    PyObject* target = g_api.PyList_GetItem(targets, i);
    if (!target) return false;
    out->push(
        {as_object(g_api.PyList_GetItem(sources, i)), reinterpret_cast<uint64_t>(target), true});
  }
  return true;
}

bool read_tracked_objects(PyObject* tracked_objects, PyObject* causes,
                          Column<TrackedObject>* out) noexcept {
  for (ptrdiff_t i = 0, n = g_api.PyList_Size(tracked_objects); i < n; ++i) {
    PyObject* number = g_api.PyList_GetItem(causes, i);
    if (!number) return false;
    unsigned long long cause = g_api.PyLong_AsUnsignedLongLong(number);
    if (g_api.PyErr_Occurred()) return false;
    out->push({as_object(g_api.PyList_GetItem(tracked_objects, i)), static_cast<uint32_t>(cause)});
  }
  return true;
}

}  // namespace

void start_snapshots(const PythonApi& api) noexcept {
  g_api = api;
  const char* refusal = snapshots().start(accounting(), {&announce_snapshot, &deliver_snapshot});
  accounting().add_fact("snapshots", refusal ? refusal : "on");
  if (!refusal) watch_for_snapshots();
}

void resume_snapshots() noexcept {
  if (!snapshots().is_on()) return;
  snapshots().begin_anew();
  watch_for_snapshots();
}

PyObject* stop_snapshots(PyObject*, PyObject*) noexcept {
  accounting().set_watch(nullptr);
  accounting().set_fork_watch(nullptr);
  accounting().set_refusal_watch(nullptr);
  return as_bool(true);
}

PyObject* take_snapshot(PyObject*, PyObject* args) noexcept {
  int reason;
  PyObject *objects, *addresses, *sources, *targets, *tracked_objects, *causes;
  if (!g_api.PyArg_ParseTuple(args, "iOOOOOO", &reason, &objects, &addresses, &sources, &targets,
                              &tracked_objects, &causes))
    return nullptr;
  Column<KnownLink> links;
  Column<TrackedObject> tracked;
  PyObject* result = nullptr;
  if (read_addresses(objects, addresses, &links) && read_references(sources, targets, &links) &&
      read_tracked_objects(tracked_objects, causes, &tracked)) {
    Object own[] = {as_object(objects), as_object(addresses),       as_object(sources),
                    as_object(targets), as_object(tracked_objects), as_object(causes),
                    as_object(args)};
    KnownObjects all{links.data(),   links.size(), tracked.data(),
                     tracked.size(), own,          sizeof own / sizeof *own};
    result = as_bool(snapshots().take(static_cast<SnapshotReason>(reason), all));
  }
  links.release();
  tracked.release();
  return result;
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

PyObject* note_loading(PyObject*, PyObject* args) noexcept {
  int begins;
  if (!g_api.PyArg_ParseTuple(args, "i", &begins)) return nullptr;
  if (!snapshots().is_on()) return as_bool(false);
  if (begins) {
    snapshots().begin_loading();
  } else {
    snapshots().end_loading();
    has_imported();  // that library is known
  }
  return as_bool(true);
}

PyObject* find_instances(PyObject*, PyObject* args) noexcept {
  PyObject* list = g_api.PyList_New(0);
  if (!list) return nullptr;
  Column<Object> types, found;
  for (ptrdiff_t i = 0; i < g_api.PyTuple_Size(args); ++i)
    types.push(reinterpret_cast<Object>(g_api.PyTuple_GetItem(args, i)));
  snapshots().find_instances(types, &found);
  types.release();
  // No bytecode has run in between, so all of them are still there.
  for (Object o : found)
    g_api.PyList_Append(list, const_cast<PyObject*>(reinterpret_cast<const PyObject*>(o)));
  found.release();
  return list;
}

PyObject* buffer_address(PyObject*, PyObject* args) noexcept {
  PyObject* object;
  if (!g_api.PyArg_ParseTuple(args, "O", &object)) return nullptr;
  uint64_t buffer[16] = {};  // Py_buffer: the address first
  if (g_api.PyObject_GetBuffer(object, buffer, 0) != 0) {
    g_api.PyErr_Clear();  // not in one piece: then with its strides
    if (g_api.PyObject_GetBuffer(object, buffer, kFullReadOnly) != 0) return nullptr;
  }
  uint64_t address = buffer[0];
  g_api.PyBuffer_Release(buffer);
  return g_api.Py_BuildValue("K", static_cast<unsigned long long>(address));
}

namespace {

// The answer without its first letter; "": there is none, or it says why not.
PyObject* ask(ledger::QueryKind kind, uint64_t address, bool must_be_answered) noexcept {
  ledger::Query query{ledger::kSnapshotVersion,   static_cast<uint32_t>(kind), getpid(), 0, address,
                      snapshots().last_taken_ns()};
  char answer[ledger::kLongestAnswer];
  void* thread = g_api.PyEval_SaveThread();
  size_t bytes = ask_supervisor(query, answer, sizeof answer);
  g_api.PyEval_RestoreThread(thread);
  if (bytes == 0 || (must_be_answered && answer[0] != ledger::kAnswered))
    return g_api.PyUnicode_FromStringAndSize("", 0);
  return g_api.PyUnicode_FromStringAndSize(answer + 1, static_cast<ptrdiff_t>(bytes) - 1);
}

}  // namespace

PyObject* ask_who_holds(PyObject*, PyObject* args) noexcept {
  unsigned long long address;
  if (!g_api.PyArg_ParseTuple(args, "K", &address)) return nullptr;
  return ask(ledger::QueryKind::who_holds, address, false);
}

PyObject* record_until_now(PyObject*, PyObject*) noexcept {
  return ask(ledger::QueryKind::record, 0, true);
}

}  // namespace tenure::inproc
