#include "inproc/boot/numpy_handler.h"

#include <string.h>

#include "inproc/boot/environment.h"
#include "inproc/os/memory.h"

#define CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))

namespace tenure::inproc {
namespace {

constexpr size_t kSmall = 1024;  // bytes; from here on NumPy asks malloc for each array
constexpr char kName[] = "default_allocator";
constexpr uint8_t kVersion = 1;

// PyDataMem_Handler of NumPy 1.22 and later.
struct Handler {
  char name[127];
  uint8_t version;
  void* context;
  void* (*make)(void*, size_t);
  void* (*make_zeroed)(void*, size_t, size_t);
  void* (*remake)(void*, void*, size_t);
  void (*end)(void*, void*, size_t);
};
static_assert(sizeof(Handler) == 168);

PythonApi g_api;
CountedHeap g_heap;
Handler g_real;  // as it was; written once, before anybody is led here

void* make(void* context, size_t bytes) {
  return bytes < kSmall ? g_heap.make(bytes, false, CALLER) : g_real.make(context, bytes);
}

void* make_zeroed(void* context, size_t count, size_t size) {
  size_t bytes;
  bool is_small = !__builtin_mul_overflow(count, size, &bytes) && bytes < kSmall;
  return is_small ? g_heap.make(bytes, true, CALLER) : g_real.make_zeroed(context, count, size);
}

void* remake(void* context, void* old, size_t bytes) {
  return bytes < kSmall ? g_heap.remake(old, bytes, CALLER) : g_real.remake(context, old, bytes);
}

// All of NumPy's blocks are malloc's, those that it had kept before too.
void end(void* context, void* block, size_t bytes) {
  if (bytes < kSmall) return g_heap.end(block);
  g_real.end(context, block, bytes);
}

bool is_known(const Handler& handler) noexcept {
  return strncmp(handler.name, kName, sizeof handler.name) == 0 && handler.version == kVersion &&
         handler.make && handler.make_zeroed && handler.remake && handler.end;
}

const char* why_not(uint64_t address) noexcept {
  if (!g_heap.make) return "off: Tenure does not see malloc here";
  if (read_memory(address, &g_real, sizeof g_real) != sizeof g_real || !is_known(g_real))
    return "off: NumPy's data handler looks different";
  Handler ours = g_real;
  ours.make = &make;
  ours.make_zeroed = &make_zeroed;
  ours.remake = &remake;
  ours.end = &end;
  bool is_written = write_memory(address, &ours, sizeof ours) == sizeof ours;
  return is_written ? "" : "off: NumPy's data handler is fixed";
}

}  // namespace

void set_counted_heap(const CountedHeap& heap) noexcept { g_heap = heap; }

void start_numpy_calls(const PythonApi& api) noexcept { g_api = api; }

PyObject* are_small_arrays_wanted(PyObject*, PyObject*) noexcept {
  return g_api.Py_BuildValue("i", wants_small_arrays() ? 1 : 0);
}

PyObject* count_small_arrays(PyObject*, PyObject* args) noexcept {
  unsigned long long address;
  if (!g_api.PyArg_ParseTuple(args, "K", &address)) return nullptr;
  return g_api.Py_BuildValue("s", why_not(address));
}

}  // namespace tenure::inproc
