// analyze/run/allocating_op.h: what made the blocks of a site, beyond its line: the operation, the node of a gradient graph whose
// backward it was, and what they are to a model.
// World: offline.
#pragma once
#include <string>

#include "analyze/run/frames.h"

namespace tenure::analyze {

// "linear" for a block made inside at::linear, "backward of MulBackward0"; empty: not known. Reads symbols.
std::string op_of(Frames& frames, const ledger::Site& site);

// The stack whose line tells most: of a block that a node's backward made, where the node was made. Backward written in
// Python has lines of its own.
StackId told_stack(Frames& frames, const ledger::Site& site);

// What its blocks are to a model, as an adapter told or as their stacks show.
ModelRole role_of(Frames& frames, const ledger::Site& site);

}  // namespace tenure::analyze
