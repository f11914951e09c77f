#include "analyze/balance/memory_parts.h"

#include <algorithm>

namespace tenure::analyze {
namespace {

// Takes at most `n` out of what is left: memory that was asked for but never touched is not resident.
uint64_t take(uint64_t& left, uint64_t n) {
  uint64_t taken = std::min(left, n);
  left -= taken;
  return taken;
}

uint64_t ledger_bytes(const ledger::Reader& ledger) {
  uint64_t bytes = 0;
  for (const ledger::TableInfo& table : ledger.header().tables)
    bytes += uint64_t{table.populated.load()} * table.record_bytes;
  return bytes;
}

}  // namespace

SmallBlocks small_blocks(const ledger::Reader& ledger) {
  SmallBlocks small;
  for (const ledger::Site& site : ledger.sites()) {
    if (static_cast<ledger::BlockKind>(site.kind) != ledger::BlockKind::small_heap) continue;
    small.live_bytes += site.live_bytes;
    small.at_peak_bytes += ledger.at_peak(site).bytes;
  }
  return small;
}

TrackedMemory tracked_memory(const ledger::Reader& ledger) {
  const ledger::Header& h = ledger.header();
  const SmallBlocks small = small_blocks(ledger);
  const uint64_t live = h.live_bytes.load() + small.live_bytes;
  return {std::max(h.peak_bytes.load() + small.at_peak_bytes, live), live};
}

MemoryParts memory_parts(const ledger::Reader& ledger, const record::ProcessOutcome& process) {
  const record::ResidentMemory& resident = process.resident;
  const ledger::Header& h = ledger.header();
  MemoryParts parts;
  parts.resident = resident.total;
  uint64_t left = resident.total;
  parts.file_pages = take(left, resident.file);
  // Before its first second is over the program has not measured what of us is in its memory.
  parts.own =
      take(left, std::max(h.own_bytes.load(), std::min(resident.shared, ledger_bytes(ledger))));
  parts.code_and_stacks = take(left, resident.stack);
  parts.tracked_live = take(left, process.live);
  parts.other_live = take(left, small_blocks(ledger).live_bytes);
  parts.allocator_retention = take(left, h.heap_free.load());
  parts.unknown = left;
  return parts;
}

}  // namespace tenure::analyze
