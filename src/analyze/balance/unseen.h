// analyze/balance/unseen.h: resident memory of a process that no hook saw: what an allocator inside a library cuts up itself.
// World: offline. Pure: a ledger and what the kernel told of the process in, bytes out.
#pragma once
#include <cstdint>
#include <string>

#include "analyze/balance/unseen_growth.h"
#include "analyze/run/frames.h"
#include "record/record.h"

namespace tenure::analyze {

struct UnseenMemory {
  uint64_t resident = 0;  // the most the kernel saw, as far as anybody looked
  uint64_t bytes = 0;     // of it, in nothing that is known
  uint64_t limit = 0;     // above which it is told
  std::string library;    // that mapped most address space for itself; empty: none did
  UnseenGrowth growth;
  uint64_t growth_limit = 0;  // above which no process can be called clean
  uint64_t mapping = 0;       // address space of the mapping that grew most; 0: none is known

  bool is_much() const { return bytes > limit; }
  bool has_grown() const { return growth.is_steady && growth.bytes > growth_limit; }
  // Whether the process may leak there: it grew all along, or nobody could see whether it did.
  bool is_too_much() const { return has_grown() || (!growth.is_measured && is_much()); }
};

// `peak`: the most it had resident, where the kernel told that at its end; else 0.
UnseenMemory unseen_memory(const Frames& frames, const Activity& activity,
                           const record::ProcessOutcome& process, uint64_t peak);

// In words: what was not seen, and why nothing can be said of such a process. `grew_at`: as line_of_growth tells.
struct UnseenWords {
  std::string loss, why_unknown;
};
UnseenWords words_of(const UnseenMemory& unseen, const std::optional<Place>& grew_at);

}  // namespace tenure::analyze
