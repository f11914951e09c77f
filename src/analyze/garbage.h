// analyze/garbage.h: memory that only waits for the cyclic collector: step after step it piles up until a collection comes.
// World: offline. Pure: snapshots and a ledger in, a finding out.
#pragma once
#include <optional>

#include "analyze/explain.h"
#include "analyze/findings.h"
#include "analyze/units.h"

namespace tenure::analyze {

// At the worst moment a snapshot saw while the program worked. Much of it, made again and again, is a leak; nothing is told
// of less. What `told` has is not told twice.
std::optional<Finding> find_waiting_garbage(Frames& frames, const Units& units, Holders& holders,
                                            const std::vector<Finding>& told);

}  // namespace tenure::analyze
