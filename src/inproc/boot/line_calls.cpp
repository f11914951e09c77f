#include "inproc/boot/line_calls.h"

#include <atomic>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/os/clock.h"

namespace tenure::inproc {
namespace {

constexpr uint64_t kShare = 100;  // of the time, one part is spent in the callback
constexpr uint64_t kRise = 8;     // one part more of what has grown is too much to wait for
constexpr uint64_t kLeastRise = 1 << 20;

PythonApi g_api;
std::atomic<PyObject*> g_callback{nullptr};  // set once, with the GIL; release, for g_api
std::atomic<bool> g_is_queued{false};        // relaxed: one call too many does no harm
// Of the main thread.
uint64_t g_quiet_until = 0;
uint64_t g_first_bytes = 0;  // alive at the first call
uint64_t g_most_bytes = 0;   // alive at any call

// A quick loop is over before the next turn, and what it held is gone. However long it rises, such calls are few.
bool has_risen(uint64_t live) noexcept {
  uint64_t rise = (g_most_bytes - g_first_bytes) / kRise;
  return live >= g_most_bytes + (rise > kLeastRise ? rise : kLeastRise);
}

// In the main thread, with the GIL, between two bytecodes.
int tell_births(void*) noexcept {
  g_is_queued.store(false, std::memory_order_relaxed);
  accounting().look_around();
  uint64_t started = now_ns();
  uint64_t live = accounting().ledger().header().live_bytes.load(std::memory_order_relaxed);
  if (started < g_quiet_until && !has_risen(live)) return 0;
  if (g_most_bytes == 0) g_first_bytes = live;
  if (live > g_most_bytes) g_most_bytes = live;
  PyObject* done = g_api.PyObject_CallObject(g_callback.load(std::memory_order_relaxed), nullptr);
  if (done)
    g_api.Py_DecRef(done);
  else
    g_api.PyErr_Clear();
  uint64_t now = now_ns();
  g_quiet_until = now + kShare * (now - started);
  return 0;
}

const void* as_address(unsigned long long number) noexcept {
  return reinterpret_cast<const void*>(static_cast<uintptr_t>(number));
}

}  // namespace

void start_line_calls(const PythonApi& api) noexcept { g_api = api; }

void note_foreign_birth() noexcept {
  if (!g_callback.load(std::memory_order_acquire) || g_api.PyGILState_GetThisThreadState()) return;
  if (g_is_queued.exchange(true, std::memory_order_relaxed)) return;
  if (g_api.Py_AddPendingCall(&tell_births, nullptr) != 0)
    g_is_queued.store(false, std::memory_order_relaxed);
}

PyObject* set_on_foreign_births(PyObject*, PyObject* args) noexcept {
  PyObject* callback;
  if (!g_api.PyArg_ParseTuple(args, "O", &callback)) return nullptr;
  g_callback.store(g_api.Py_BuildValue("O", callback), std::memory_order_release);
  accounting().stacks().stop_lending();
  return g_api.Py_BuildValue("");
}

PyObject* born_without_python(PyObject*, PyObject* args) noexcept {
  unsigned long long address;
  if (!g_api.PyArg_ParseTuple(args, "K", &address)) return nullptr;
  unsigned long long tick = accounting().born_without_python(as_address(address));
  return g_api.Py_BuildValue("K", tick);
}

PyObject* stack_of_codes(PyObject*, PyObject* args) noexcept {
  PyObject *codes, *offsets;
  if (!g_api.PyArg_ParseTuple(args, "OO", &codes, &offsets)) return nullptr;
  StackId stack{};
  bool is_on = accounting().ensure_on();
  BusyGuard busy;
  for (ptrdiff_t i = is_on ? g_api.PyList_Size(codes) : 0; i-- > 0;) {
    PyObject* code = g_api.PyList_GetItem(codes, i);
    PyObject* offset = code ? g_api.PyList_GetItem(offsets, i) : nullptr;
    if (!offset) return nullptr;
    auto lasti = static_cast<int32_t>(g_api.PyLong_AsUnsignedLongLong(offset));
    if (g_api.PyErr_Occurred()) return nullptr;
    stack = accounting().stacks().python_frame(stack, code, lasti);
  }
  return g_api.Py_BuildValue("I", stack.value);
}

PyObject* lend_stack(PyObject*, PyObject* args) noexcept {
  unsigned long long address;
  unsigned stack;
  if (!g_api.PyArg_ParseTuple(args, "KI", &address, &stack)) return nullptr;
  bool is_lent = accounting().lend_stack(as_address(address), StackId{stack});
  return g_api.Py_BuildValue("i", is_lent ? 1 : 0);
}

}  // namespace tenure::inproc
