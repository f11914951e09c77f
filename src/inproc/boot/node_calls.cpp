#include "inproc/boot/node_calls.h"

#include <string.h>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/accounting/torch_names.h"
#include "inproc/os/elf_symbols.h"
#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

constexpr uint32_t kObjectHead = 16;  // of a Python object; behind it stands the node's address
constexpr uint32_t kWords = 16;       // of a node that are looked at
constexpr uint32_t kThreadBehind =
    3;  // words from the number to the thread: between them its depth and a flag
constexpr const char* kThreadNumber = "_ZN2at14RecordFunction15currentThreadIdEv";
constexpr const char* kMakeStorage = "_ZN3c109alloc_cpuEm";
PythonApi g_api;

template <class T>
bool read_at(uint64_t address, T* out) noexcept {
  return read_memory(address, out, sizeof *out) == sizeof *out;
}

struct Node {
  uint64_t words[kWords];
};

// The offsets at which every node seen so far had its own number and this thread's.
class LayoutSearch {
 public:
  explicit LayoutSearch(uint64_t thread) noexcept : thread_(thread) {}

  void compare(const Node& node, uint64_t number) noexcept {
    for (uint32_t at = 1; at + kThreadBehind < kWords; ++at)
      is_possible_[at] &= node.words[at] == number && node.words[at + kThreadBehind] == thread_;
  }

  // All zero unless exactly one offset is left.
  NodeLayout found() const noexcept {
    NodeLayout layout{};
    for (uint32_t at = 1; at + kThreadBehind < kWords; ++at) {
      if (!is_possible_[at]) continue;
      if (layout.number) return {};
      layout = {at * 8, (at + kThreadBehind) * 8};
    }
    return layout;
  }

 private:
  uint64_t thread_;
  bool is_possible_[kWords] = {false, true, true, true, true, true, true, true,
                               true,  true, true, true, true, true, true, true};
};

// The description of the type and its name must be readable before anybody relies on them.
bool has_name(const Node& node, const char* wanted) noexcept {
  uint64_t description, text;
  char name[128] = {};
  if (!read_at(node.words[0] - 8, &description) || !read_at(description + 8, &text)) return false;
  if (!read_at(text, &name)) return false;
  NamePart found = name_of_node_type(reinterpret_cast<const void*>(node.words[0]));
  return found.length == strlen(wanted) && memcmp(found.text, wanted, found.length) == 0;
}

bool range_of(void* function, CodeRange* out) noexcept {
  ObjectInfo object{};
  if (!function || !object_of(reinterpret_cast<uintptr_t>(function), &object)) return false;
  *out = {object.start, object.end - object.start};
  return true;
}

bool find_code(TorchCode* out) noexcept {
  out->thread_number = reinterpret_cast<uint64_t (*)()>(find_symbol(kThreadNumber));
  return out->thread_number && find_next_symbol(TENURE_RUN_NODE) &&
         range_of(find_next_symbol(TENURE_NUMBER_NODE), &out->operations) &&
         range_of(find_symbol(kMakeStorage), &out->storages);
}

PyObject* answer(const char* why_not) noexcept { return g_api.Py_BuildValue("s", why_not); }

bool as_number(PyObject* list, ptrdiff_t at, uint64_t* out) noexcept {
  PyObject* item = g_api.PyList_GetItem(list, at);
  if (!item) return false;
  *out = g_api.PyLong_AsUnsignedLongLong(item);
  return !g_api.PyErr_Occurred();
}

}  // namespace

void start_node_calls(const PythonApi& api) noexcept { g_api = api; }

PyObject* follow_nodes(PyObject*, PyObject* args) noexcept {
  PyObject *objects, *numbers;
  const char* name;
  if (!g_api.PyArg_ParseTuple(args, "OOs", &objects, &numbers, &name)) return nullptr;
  TorchCode code;
  if (!find_code(&code)) return answer("off: libtorch has other functions");
  LayoutSearch search(code.thread_number());
  for (ptrdiff_t i = 0; i < g_api.PyList_Size(objects); ++i) {
    uint64_t object, number, address;
    if (!as_number(objects, i, &object) || !as_number(numbers, i, &number)) return nullptr;
    Node node;
    if (!read_at(object + kObjectHead, &address) || !read_at(address, &node) ||
        !has_name(node, name))
      return answer("off: nodes look different");
    search.compare(node, number);
  }
  NodeLayout layout = search.found();
  if (!layout.number) return answer("off: nodes do not have their numbers where expected");
  bool is_on = accounting().nodes().start(code, layout);
  return answer(is_on ? "" : "off: no memory");
}

PyObject* set_roles(PyObject*, PyObject* args) noexcept {
  PyObject* addresses;
  int role;
  if (!g_api.PyArg_ParseTuple(args, "Oi", &addresses, &role)) return nullptr;
  for (ptrdiff_t i = 0; i < g_api.PyList_Size(addresses); ++i) {
    uint64_t address;
    if (!as_number(addresses, i, &address)) return nullptr;
    accounting().set_role(reinterpret_cast<const void*>(static_cast<uintptr_t>(address)),
                          static_cast<ledger::Role>(role));
  }
  return g_api.Py_BuildValue("");
}

PyObject* leave_node(PyObject*, PyObject*) noexcept {
  g_thread.nodes.running = {};
  return g_api.Py_BuildValue("");
}

}  // namespace tenure::inproc
