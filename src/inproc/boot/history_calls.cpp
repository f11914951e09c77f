#include "inproc/boot/history_calls.h"

#include <string.h>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"

namespace tenure::inproc {
namespace {

constexpr size_t kLongestText = 2000;

PythonApi g_api;

PyObject* none() noexcept { return g_api.Py_BuildValue(""); }

bool add_places(PyObject* list, ledger::LifetimeError& error) noexcept {
  ptrdiff_t count = g_api.PyList_Size(list);
  for (ptrdiff_t i = 0; i < count && error.place_count < ledger::kPlaces; ++i) {
    const char* role;
    PyObject* frames;
    if (!g_api.PyArg_ParseTuple(g_api.PyList_GetItem(list, i), "sO", &role, &frames)) return false;
    ledger::LifetimeError::Place& place = error.places[error.place_count];
    if (!intern_frames(frames, &place.stack)) return false;
    place.role = intern_text(role);
    ++error.place_count;
  }
  return true;
}

}  // namespace

void start_history_calls(const PythonApi& api) noexcept { g_api = api; }

StringId intern_text(const char* text) noexcept {
  size_t length = strnlen(text, kLongestText);
  return accounting().stacks().table().string(text, static_cast<uint32_t>(length));
}

bool intern_frames(PyObject* list, StackId* out) noexcept {
  StackId stack{};
  for (ptrdiff_t i = 0, n = g_api.PyList_Size(list); i < n; ++i) {
    const char *file, *function;
    int line;
    if (!g_api.PyArg_ParseTuple(g_api.PyList_GetItem(list, i), "ssi", &file, &function, &line))
      return false;
    StackTable& table = accounting().stacks().table();
    ledger::Frame frame{};
    frame.kind = static_cast<uint32_t>(ledger::FrameKind::python);
    frame.owner = table.code({intern_text(file), intern_text(function), 0, 0}).value;
    frame.line = static_cast<uint32_t>(line > 0 ? line : 0);
    frame.lasti = -1;
    stack = table.stack(stack, table.frame(frame));
  }
  *out = stack;
  return true;
}

PyObject* add_scope(PyObject*, PyObject* args) noexcept {
  const char *kind, *name;
  PyObject* frames;
  if (!g_api.PyArg_ParseTuple(args, "ssO", &kind, &name, &frames)) return nullptr;
  uint32_t added = 0;
  if (accounting().ensure_on()) {
    BusyGuard busy;
    StackId born;
    if (!intern_frames(frames, &born)) return nullptr;
    added = accounting().history().add_scope(intern_text(kind), intern_text(name), born);
  }
  return g_api.Py_BuildValue("I", added);
}

PyObject* set_scope_state(PyObject*, PyObject* args) noexcept {
  unsigned scope;
  const char* state;
  PyObject* frames;
  if (!g_api.PyArg_ParseTuple(args, "IsO", &scope, &state, &frames)) return nullptr;
  if (!accounting().ensure_on()) return none();
  BusyGuard busy;
  StackId where;
  if (!intern_frames(frames, &where)) return nullptr;
  accounting().history().set_state(scope, intern_text(state), where);
  return none();
}

PyObject* set_scope_count(PyObject*, PyObject* args) noexcept {
  unsigned scope;
  unsigned long long items, bytes;
  if (!g_api.PyArg_ParseTuple(args, "IKK", &scope, &items, &bytes)) return nullptr;
  if (accounting().ensure_on()) accounting().history().set_fill(scope, items, bytes);
  return none();
}

PyObject* add_lifetime_error(PyObject*, PyObject* args) noexcept {
  const char *kind, *severity, *title, *why, *fix, *type, *message, *holder;
  PyObject* places;
  if (!g_api.PyArg_ParseTuple(args, "ssssssssO", &kind, &severity, &title, &why, &fix, &type,
                              &message, &holder, &places))
    return nullptr;
  if (!accounting().ensure_on()) return none();
  BusyGuard busy;
  ledger::LifetimeError error{};
  error.kind = intern_text(kind);
  error.severity = intern_text(severity);
  error.title = intern_text(title);
  error.why = intern_text(why);
  error.fix = intern_text(fix);
  error.error_type = intern_text(type);
  error.error_message = intern_text(message);
  error.holder = intern_text(holder);
  if (!add_places(places, error)) return nullptr;
  accounting().history().add_lifetime_error(error);
  return none();
}

PyObject* count_cause(PyObject*, PyObject* args) noexcept {
  const char *key, *kind, *holder, *why, *fix;
  PyObject* frames;
  if (!g_api.PyArg_ParseTuple(args, "sssssO", &key, &kind, &holder, &why, &fix, &frames))
    return nullptr;
  if (!accounting().ensure_on()) return none();
  BusyGuard busy;
  ledger::Cause cause{};
  cause.kind = intern_text(kind);
  cause.holder = intern_text(holder);
  cause.why = intern_text(why);
  cause.fix = intern_text(fix);
  if (!intern_frames(frames, &cause.stack)) return nullptr;
  accounting().history().count_cause(intern_text(key), cause);
  return none();
}

}  // namespace tenure::inproc
