// inproc/boot/layout_calls.h: for adapters that read memory: where a framework's C++ objects keep their fields, and whether
// what a tensor holds has changed.
// World: inside, with the GIL.
#pragma once
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

void start_layout_calls(const PythonApi& api) noexcept;

// words(address, count) -> list of the words there; shorter where memory ends. Any address may be asked for.
PyObject* read_words(PyObject*, PyObject* args) noexcept;
// contents(address, bytes) -> a number that tells contents apart; of much memory only some is read, its ends among it.
PyObject* hash_contents(PyObject*, PyObject* args) noexcept;
// torch_layout(list of the fields of TorchLayout): the snapshots follow tensors by it from now on.
PyObject* set_torch_layout(PyObject*, PyObject* args) noexcept;

}  // namespace tenure::inproc
