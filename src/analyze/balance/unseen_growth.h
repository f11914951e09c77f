// analyze/balance/unseen_growth.h: whether memory that no hook saw piled up along a run, or came once and stayed.
// World: offline. Pure: what the supervisor saw at its looks in, one growth out.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/run/activity.h"
#include "analyze/run/place.h"
#include "record/record.h"

namespace tenure::analyze {

struct UnseenGrowth {
  bool is_measured = false;  // false: too few looks to tell
  bool is_steady = false;    // it went on all along, to the end
  uint64_t bytes = 0;        // that came and were not given back
  Tick from = 0, to = 0;     // while it grew
};

// `retained`: what allocators keep free, measured at the end; none of it is a leak.
UnseenGrowth unseen_growth(const Activity& activity,
                           const std::vector<record::MemoryMoment>& moments, uint64_t retained);

// The user's line that ran whenever blocks were made meanwhile, if there is one below the outermost: the line itself where
// only one made any, else the innermost that called all of them.
std::optional<Place> line_of_growth(Frames& frames, const UnseenGrowth& growth);

}  // namespace tenure::analyze
