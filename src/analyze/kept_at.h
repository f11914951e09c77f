// analyze/kept_at.h: where a holder is filled: the storing line, looked for in the user's own sources.
// World: offline.
#pragma once
#include <optional>
#include <vector>

#include "analyze/findings.h"
#include "analyze/frames.h"
#include "analyze/retention.h"
#include "analyze/storing_line.h"

namespace tenure::analyze {

// What the holder is called in a source, and the containers around it that have it as an item, innermost first.
std::vector<KeptName> kept_names(const HeapGraph& heap, const Retention& retention);

// In the user's files that the ledger knows, of the innermost name they mention. Nothing unless exactly one line can be it.
std::optional<Place> kept_at(const Frames& frames, const std::vector<KeptName>& names);

}  // namespace tenure::analyze
