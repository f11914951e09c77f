// analyze/growth/waiting_garbage.h: memory that only waits for the cyclic collector: step after step it piles up until a
// collection comes.
// World: offline. Pure: snapshots and a ledger in, the pile out.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/heap/holders.h"
#include "analyze/run/place.h"
#include "analyze/run/units.h"

namespace tenure::analyze {

// At the worst moment a snapshot saw while the program worked.
struct GarbagePile {
  uint64_t bytes = 0;
  uint64_t count = 0;
  std::vector<Place> where;       // the lines that made it, most bytes first, and who asked for it
  std::vector<Place> made_there;  // of these, only the lines that made it
  Holder holder;
  std::string fix;
  std::vector<HolderLink> links;  // once round a cycle
  std::string per;
  std::optional<uint64_t> steps;
  std::optional<double> bytes_per_step;
};

// Much of it, made again and again, is a leak; nothing is told of less.
std::optional<GarbagePile> find_waiting_garbage(Frames& frames, const Units& units,
                                                Holders& holders);

}  // namespace tenure::analyze
