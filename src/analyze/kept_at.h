// analyze/kept_at.h: where a holder is filled: the storing line, looked for in the user's own sources.
// World: offline.
#pragma once
#include <optional>

#include "analyze/findings.h"
#include "analyze/frames.h"
#include "analyze/retention.h"
#include "analyze/storing_line.h"

namespace tenure::analyze {

// What the holder is called in the source; nothing if it has no name there.
std::optional<KeptName> kept_name(const HeapGraph& heap, const Retention& retention);

// In the user's files that the ledger knows. Nothing unless exactly one line can be it.
std::optional<Place> kept_at(const Frames& frames, const KeptName& kept);

}  // namespace tenure::analyze
