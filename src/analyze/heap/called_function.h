// analyze/heap/called_function.h: what a line of the program calls, as it is written there: `repomd.parse`.
// World: offline. Pure.
#pragma once
#include <string>

#include "bytecode/program.h"

namespace tenure::analyze {

// The function of the only call on the line that has a name; empty: there are several, or none.
std::string called_function(const bytecode::Program& program, std::string_view file, int line);

}  // namespace tenure::analyze
