// analyze/balance/unseen.h: resident memory of a process that no hook saw: what an allocator inside a library cuts up itself.
// World: offline. Pure: a ledger and what the kernel told of the process in, bytes out.
#pragma once
#include <cstdint>
#include <string>

#include "analyze/run/frames.h"
#include "record/record.h"

namespace tenure::analyze {

struct UnseenMemory {
  uint64_t resident = 0;  // the most the kernel saw, as far as anybody looked
  uint64_t bytes = 0;     // of it, in nothing that is known
  uint64_t limit = 0;     // above which no process can be called clean
  std::string library;    // that mapped most address space for itself; empty: none did

  bool is_too_much() const { return bytes > limit; }
};

// `peak`: the most it had resident, where the kernel told that at its end; else 0.
UnseenMemory unseen_memory(const Frames& frames, const record::ProcessOutcome& process,
                           uint64_t peak);

}  // namespace tenure::analyze
