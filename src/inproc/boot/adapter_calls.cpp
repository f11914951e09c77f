#include "inproc/boot/adapter_calls.h"

#include <string.h>

#include "inproc/accounting/metered_part.h"
#include "inproc/boot/environment.h"
#include "inproc/boot/history_calls.h"
#include "inproc/boot/interceptors.h"
#include "inproc/boot/layout_calls.h"
#include "inproc/boot/line_calls.h"
#include "inproc/boot/node_calls.h"
#include "inproc/boot/numpy_handler.h"
#include "inproc/boot/snapshot_calls.h"
#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

PythonApi g_api;

PyObject* none() noexcept { return g_api.Py_BuildValue(""); }

// fact(key, value)
PyObject* fact(PyObject*, PyObject* args) noexcept {
  const char *key, *value;
  if (!g_api.PyArg_ParseTuple(args, "ss", &key, &value)) return nullptr;
  accounting().add_fact(key, value);
  return none();
}

// note(key, value): a fact of this process alone, of any length
PyObject* note(PyObject*, PyObject* args) noexcept {
  const char *key, *value;
  if (!g_api.PyArg_ParseTuple(args, "ss", &key, &value)) return nullptr;
  accounting().add_note(key, value);
  return none();
}

// step(name): one more of the named series
PyObject* step(PyObject*, PyObject* args) noexcept {
  const char* name;
  if (!g_api.PyArg_ParseTuple(args, "s", &name)) return nullptr;
  accounting().count_step(name);
  return none();
}

// ignore(begins): what this thread makes from here on, or no longer, is told as accepted
PyObject* ignore(PyObject*, PyObject* args) noexcept {
  int begins;
  if (!g_api.PyArg_ParseTuple(args, "i", &begins)) return nullptr;
  if (begins)
    Accounting::ignore_begins();
  else
    Accounting::ignore_ends();
  return none();
}

// watch_peak(begins) -> bytes: those by which live memory rose at most since it began
PyObject* watch_peak(PyObject*, PyObject* args) noexcept {
  int begins;
  if (!g_api.PyArg_ParseTuple(args, "i", &begins)) return nullptr;
  if (begins) accounting().watch_peak();
  const uint64_t rose = begins ? 0 : accounting().peak_watched();
  return g_api.Py_BuildValue("K", static_cast<unsigned long long>(rose));
}

// is_text_wanted(): whether text of the program may go into the ledger
PyObject* is_text_wanted(PyObject*, PyObject*) noexcept {
  return g_api.Py_BuildValue("i", wants_text() ? 1 : 0);
}

// moment() -> (births so far, live bytes), of which a mark is made
PyObject* moment(PyObject*, PyObject*) noexcept {
  const Moment now = accounting().moment();
  return g_api.Py_BuildValue("(KK)", static_cast<unsigned long long>(now.tick),
                             static_cast<unsigned long long>(now.live_bytes));
}

// framework_step(name): the same of a step that a framework makes by itself
PyObject* framework_step(PyObject*, PyObject* args) noexcept {
  const char* name;
  if (!g_api.PyArg_ParseTuple(args, "s", &name)) return nullptr;
  accounting().count_step(name, true);
  return none();
}

// event(kind, what, text, value, frames)
PyObject* event(PyObject*, PyObject* args) noexcept {
  int kind;
  const char *what, *text;
  long long value;
  PyObject* frames;
  if (!g_api.PyArg_ParseTuple(args, "issLO", &kind, &what, &text, &value, &frames)) return nullptr;
  if (!accounting().ensure_on()) return none();
  BusyGuard busy;
  StackId stack;
  if (!intern_frames(frames, &stack)) return nullptr;
  accounting().add_event(static_cast<ledger::EventKind>(kind), intern_text(what), intern_text(text),
                         stack, static_cast<uint64_t>(value));
  return none();
}

PyObject* as_text(StringId id) noexcept {
  const char* at = accounting().ledger().record<char>(ledger::TableId::strings, id.value);
  uint32_t length;
  memcpy(&length, at, sizeof length);
  return g_api.PyUnicode_FromStringAndSize(at + sizeof length, length);
}

PyObject* frames_as_list(StackId stack) noexcept {
  ledger::Writer& ledger = accounting().ledger();
  PyObject* list = g_api.PyList_New(0);
  for (; list && stack;
       stack = ledger.record<ledger::Stack>(ledger::TableId::stacks, stack.value)->outer) {
    FrameId id = ledger.record<ledger::Stack>(ledger::TableId::stacks, stack.value)->frame;
    const ledger::Frame* frame = ledger.record<ledger::Frame>(ledger::TableId::frames, id.value);
    if (frame->kind != static_cast<uint32_t>(ledger::FrameKind::python)) continue;
    const ledger::Code* code = ledger.record<ledger::Code>(ledger::TableId::codes, frame->owner);
    // N: the tuple takes over the reference.
    PyObject* item = g_api.Py_BuildValue("(NNi)", as_text(code->file), as_text(code->name),
                                         static_cast<int>(frame->line));
    if (!item) return nullptr;
    g_api.PyList_Append(list, item);
    g_api.Py_DecRef(item);
  }
  return list;
}

// stack(): the calling thread's stack as the reader sees it, innermost first
PyObject* stack(PyObject*, PyObject*) noexcept {
  return frames_as_list(accounting().stack_here().id);
}

// here(): a number for that stack
PyObject* here(PyObject*, PyObject*) noexcept {
  KnownStack known = accounting().stack_here();
  uint64_t number = static_cast<uint64_t>(known.generation) << 32 | known.id.value;
  return g_api.Py_BuildValue("K", static_cast<unsigned long long>(number));
}

// stack_numbered(number): its frames, innermost first; none if it was a stack of the process that forked this one
PyObject* stack_numbered(PyObject*, PyObject* args) noexcept {
  unsigned long long number;
  if (!g_api.PyArg_ParseTuple(args, "K", &number)) return nullptr;
  bool is_ours = number >> 32 == accounting().stack_here().generation;
  return frames_as_list(is_ours ? StackId{static_cast<uint32_t>(number)} : StackId{});
}

// work_begins(...), work_ends(...): the calling thread waits for work of others; any arguments, so that both can be callbacks
PyObject* work_begins(PyObject*, PyObject*, PyObject*) noexcept {
  if (accounting().ensure_on()) {
    BusyGuard busy;
    accounting().stacks().begin_work();
  }
  return none();
}

PyObject* work_ends(PyObject*, PyObject*, PyObject*) noexcept {
  if (accounting().ensure_on()) accounting().stacks().end_work();
  return none();
}

// stack_of(address): where the live block at the address was made; an empty list when it is not tracked
PyObject* stack_of(PyObject*, PyObject* args) noexcept {
  unsigned long long address;
  if (!g_api.PyArg_ParseTuple(args, "K", &address)) return nullptr;
  return frames_as_list(accounting().stack_of(reinterpret_cast<const void*>(address)));
}

// reader_off(reason): the self-test found the reader wrong
PyObject* reader_off(PyObject*, PyObject* args) noexcept {
  const char* reason;
  if (!g_api.PyArg_ParseTuple(args, "s", &reason)) return nullptr;
  accounting().python().self_test(nullptr, 0, nullptr, 1);
  accounting().add_fact("python_frames", reason);
  return none();
}

// has_symbol(name): whether a library other than this one exports it; hooks/ knows what to do with it
PyObject* has_symbol(PyObject*, PyObject* args) noexcept {
  const char* name;
  if (!g_api.PyArg_ParseTuple(args, "s", &name)) return nullptr;
  return g_api.Py_BuildValue("i", find_next_symbol(name) != nullptr ? 1 : 0);
}

// metered(function, *args): calls it, and counts what that takes as ours
PyObject* metered(PyObject*, PyObject* all) noexcept {
  MeteredAdapters part;
  PyObject* args = g_api.PyTuple_GetSlice(all, 1, g_api.PyTuple_Size(all));
  PyObject* function = g_api.PyTuple_GetItem(all, 0);
  PyObject* result = args && function ? g_api.PyObject_Call(function, args, nullptr) : nullptr;
  if (args) g_api.Py_DecRef(args);
  return result;
}

// start_snapshots(): once the frame reader is known to be right
PyObject* begin_snapshots(PyObject*, PyObject*) noexcept {
  start_snapshots(g_api);
  return none();
}

using PyKeywordFunction = PyObject* (*)(PyObject*, PyObject*, PyObject*);
PyFunction with_keywords(PyKeywordFunction function) noexcept {
  return reinterpret_cast<PyFunction>(reinterpret_cast<void*>(function));
}

PyMethod g_methods[] = {
    {"fact", &fact, kVarArgs, nullptr},
    {"note", &note, kVarArgs, nullptr},
    {"step", &step, kVarArgs, nullptr},
    {"ignore", &ignore, kVarArgs, nullptr},
    {"watch_peak", &watch_peak, kVarArgs, nullptr},
    {"is_text_wanted", &is_text_wanted, kVarArgs, nullptr},
    {"moment", &moment, kVarArgs, nullptr},
    {"framework_step", &framework_step, kVarArgs, nullptr},
    {"event", &event, kVarArgs, nullptr},
    {"scope", &add_scope, kVarArgs, nullptr},
    {"scope_state", &set_scope_state, kVarArgs, nullptr},
    {"scope_count", &set_scope_count, kVarArgs, nullptr},
    {"lifetime_error", &add_lifetime_error, kVarArgs, nullptr},
    {"cause", &count_cause, kVarArgs, nullptr},
    {"stack", &stack, kVarArgs, nullptr},
    {"here", &here, kVarArgs, nullptr},
    {"stack_numbered", &stack_numbered, kVarArgs, nullptr},
    {"stack_of", &stack_of, kVarArgs, nullptr},
    {"work_begins", with_keywords(&work_begins), kVarArgs | kKeywords, nullptr},
    {"work_ends", with_keywords(&work_ends), kVarArgs | kKeywords, nullptr},
    {"reader_off", &reader_off, kVarArgs, nullptr},
    {"snapshot", &take_snapshot, kVarArgs, nullptr},
    {"snapshot_due", &is_snapshot_due, kVarArgs, nullptr},
    {"who_holds", &ask_who_holds, kVarArgs, nullptr},
    {"record_until_now", &record_until_now, kVarArgs, nullptr},
    {"on_growth", &set_on_growth, kVarArgs, nullptr},
    {"loading", &note_loading, kVarArgs, nullptr},
    {"instances", &find_instances, kVarArgs, nullptr},
    {"buffer_address", &buffer_address, kVarArgs, nullptr},
    {"has_symbol", &has_symbol, kVarArgs, nullptr},
    {"metered", &metered, kVarArgs, nullptr},
    {"start_snapshots", &begin_snapshots, kVarArgs, nullptr},
    {"stop_snapshots", &stop_snapshots, kVarArgs, nullptr},
    {"watch_method", &watch_method, kVarArgs, nullptr},
    {"on_foreign_births", &set_on_foreign_births, kVarArgs, nullptr},
    {"born_without_python", &born_without_python, kVarArgs, nullptr},
    {"stack_of_codes", &stack_of_codes, kVarArgs, nullptr},
    {"lend_stack", &lend_stack, kVarArgs, nullptr},
    {"follow_nodes", &follow_nodes, kVarArgs, nullptr},
    {"roles", &set_roles, kVarArgs, nullptr},
    {"node_left", &leave_node, kVarArgs, nullptr},
    {"watch_calls", &watch_calls, kVarArgs, nullptr},
    {"words", &read_words, kVarArgs, nullptr},
    {"contents", &hash_contents, kVarArgs, nullptr},
    {"torch_layout", &set_torch_layout, kVarArgs, nullptr},
    {"small_arrays_wanted", &are_small_arrays_wanted, kVarArgs, nullptr},
    {"count_small_arrays", &count_small_arrays, kVarArgs, nullptr},
};

}  // namespace

PyObject* make_adapter_calls(const PythonApi& api) noexcept {
  g_api = api;
  start_history_calls(api);
  start_line_calls(api);
  start_layout_calls(api);
  start_node_calls(api);
  start_numpy_calls(api);
  PyObject* calls = g_api.PyDict_New();
  for (PyMethod& method : g_methods) {
    PyObject* function = calls ? g_api.PyCFunction_NewEx(&method, nullptr, nullptr) : nullptr;
    if (!function) return nullptr;
    g_api.PyDict_SetItemString(calls, method.name, function);
    g_api.Py_DecRef(function);
  }
  PyObject* interceptor_call = make_interceptor_call(api);
  if (!interceptor_call) return nullptr;
  g_api.PyDict_SetItemString(calls, "interceptor_call", interceptor_call);
  g_api.Py_DecRef(interceptor_call);
  return calls;
}

}  // namespace tenure::inproc
