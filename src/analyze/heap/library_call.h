// analyze/heap/library_call.h: the line that gives something to a library, which keeps it: `logger.addHandler(handler)`,
// `atexit.register(self.close)`, `threading.Thread(target=watch)`.
// World: offline. Pure: facts of bytecode and the way through a snapshot in, a line out. Where two lines could be it, there
// is none.
#pragma once
#include <optional>
#include <vector>

#include "analyze/heap/kept_name.h"
#include "analyze/heap/storing_line.h"
#include "bytecode/program.h"

namespace tenure::analyze {

// The call with most in common with the way to the blocks: whose object or module it is, what is given, and that it is a
// verb of keeping. Nothing unless it has two of the three, and more than any other line.
std::optional<StoringLine> find_library_call(const bytecode::Program& program,
                                             const std::vector<KeptName>& names,
                                             const KeptClues& clues);

}  // namespace tenure::analyze
