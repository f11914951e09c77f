// analyze/heap/reading_line.h: the line of a function that reads what a name holds: `text = self.captions[i]`.
// World: offline. Pure.
#pragma once
#include <optional>

#include "analyze/heap/kept_name.h"
#include "bytecode/program.h"

namespace tenure::analyze {

// The first one. Asking for the length of it reads nothing; whose variable it is, is not asked: a worker may know the
// container under the same name by way of an argument.
std::optional<int> reading_line(const bytecode::Function& function, const KeptName& name);

}  // namespace tenure::analyze
