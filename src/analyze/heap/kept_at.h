// analyze/heap/kept_at.h: where a holder is filled: the storing line, looked for in the code of the program.
// World: offline. Pure, but for the text of the line that is shown.
#pragma once
#include <optional>
#include <vector>

#include "analyze/heap/kept_name.h"
#include "analyze/heap/retention.h"
#include "analyze/run/place.h"
#include "bytecode/program.h"

namespace tenure::analyze {

// What the holder is called in the code, and the containers around it that have it as an item, innermost first.
std::vector<KeptName> kept_names(const HeapGraph& heap, const Retention& retention);

// What lies on the way to the blocks.
KeptClues kept_clues(const HeapGraph& heap, const Retention& retention);

// Of the innermost name that the code mentions. Where a library keeps it, of the call that gave it to the library.
// Nothing unless exactly one line can be it.
std::optional<Place> kept_at(const bytecode::Program& program, const std::vector<KeptName>& names,
                             const KeptClues& clues);

}  // namespace tenure::analyze
