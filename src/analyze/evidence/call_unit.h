// analyze/evidence/call_unit.h: calls of a function of the user's that a library makes, as the unit of a growth.
// World: offline. Pure over a ledger.
#pragma once
#include "analyze/evidence/site_evidence.h"

namespace tenure::analyze {

// How often a library called the function of the user's that the block was made under, as the target of a thread, where
// it was seen to call it again and again; nothing else.
std::optional<Unit> unit_of_calls(Frames& frames, const Units& units, const SiteEvidence& c);

}  // namespace tenure::analyze
