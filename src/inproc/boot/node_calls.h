// inproc/boot/node_calls.h: how the torch adapter lets nodes of gradient graphs be followed (accounting/graph_nodes.h).
// World: inside, with the GIL, from the adapter only.
#pragma once
#include "inproc/boot/python_api.h"

namespace tenure::inproc {

void start_node_calls(const PythonApi& api) noexcept;

// follow_nodes([address of the Python object, ...], [number, ...], "MulBackward0"): nodes of this type that tell their
// numbers; where a node keeps them is found by comparing. Returns "" or why nodes are not followed.
PyObject* follow_nodes(PyObject*, PyObject* args) noexcept;

// roles([address, ...], role): what the blocks at these addresses are to a model; the number of a ledger::Role
PyObject* set_roles(PyObject*, PyObject* args) noexcept;

// node_left(): backward() has failed; no node runs any more in this thread
PyObject* leave_node(PyObject*, PyObject* args) noexcept;

}  // namespace tenure::inproc
