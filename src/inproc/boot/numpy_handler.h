// inproc/boot/numpy_handler.h: stands in for the functions by which NumPy gets memory for small arrays, so that each of them
// is counted (`tenure run --small-arrays`). NumPy keeps freed blocks below 1 KiB for itself; with this it keeps none.
// World: inside. Set up with the GIL; afterwards called by any thread that makes arrays.
#pragma once
#include <cstdint>

#include "inproc/boot/python_api.h"

namespace tenure::inproc {

// Blocks that are counted one by one whatever their size.
struct CountedHeap {
  void* (*make)(size_t bytes, bool is_zeroed, uintptr_t caller) noexcept;
  void* (*remake)(void* old, size_t bytes, uintptr_t caller) noexcept;
  void (*end)(void* block) noexcept;
};

// From the library's constructor.
void set_counted_heap(const CountedHeap& heap) noexcept;

void start_numpy_calls(const PythonApi& api) noexcept;

// small_arrays_wanted() -> 1 if `tenure run` was asked for them
PyObject* are_small_arrays_wanted(PyObject*, PyObject*) noexcept;
// count_small_arrays(address of NumPy's default PyDataMem_Handler) -> "" or why not
PyObject* count_small_arrays(PyObject*, PyObject* args) noexcept;

}  // namespace tenure::inproc
