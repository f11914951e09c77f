// analyze/heap/storing_line.h: the line of the program's code that stores into a name: `losses.append(loss)`,
// `self.cache[k] = v`.
// World: offline. Pure: facts in, a line out. Where two lines could be it, or it goes by names that cannot be followed,
// there is none.
#pragma once
#include <optional>
#include <string>

#include "analyze/heap/kept_name.h"
#include "bytecode/program.h"

namespace tenure::analyze {

struct StoringLine {
  std::string file;
  int line = 0;
  std::string function;  // by its qualified name; "<module>" outside of all
};

// The only line in all of this code that stores into the name.
std::optional<StoringLine> find_storing_line(const bytecode::Program& program,
                                             const KeptName& kept);

}  // namespace tenure::analyze
