// analyze/balance/memory_parts.h: every byte of resident memory in one part; the parts add up.
// World: offline. Pure.
#pragma once
#include "record/record.h"

namespace tenure::analyze {

// Where resident memory was at the last look; the parts add up to `resident`.
struct MemoryParts {
  uint64_t resident = 0;
  uint64_t tracked_live = 0;
  uint64_t other_live = 0;  // small blocks, estimated from samples
  uint64_t allocator_retention = 0;
  uint64_t code_and_stacks = 0;
  uint64_t file_pages = 0;
  uint64_t own = 0;  // Tenure itself
  uint64_t unknown = 0;
};

// Blocks that are too small to be counted one by one, estimated.
struct SmallBlocks {
  uint64_t live_bytes = 0;
  uint64_t at_peak_bytes = 0;  // of the blocks that are counted
};
SmallBlocks small_blocks(const ledger::Reader& ledger);

// Of one process, small blocks by their estimates.
struct TrackedMemory {
  uint64_t peak_bytes = 0, live_bytes = 0;
};
TrackedMemory tracked_memory(const ledger::Reader& ledger);

MemoryParts memory_parts(const ledger::Reader& ledger, const record::ProcessOutcome& process);

}  // namespace tenure::analyze
