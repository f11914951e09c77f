// ledger/live_memory.h: which tracked blocks a process counts as live memory, one by one.
// World: both. Pure. The header's live_bytes and the balance of the analysis follow it.
#pragma once
#include "ledger/layout.h"

namespace tenure::ledger {

// Private mappings are address space until they are touched: booked under their sites, but not counted as live memory.
constexpr bool counts_as_live(BlockKind kind) {
  return kind == BlockKind::heap || kind == BlockKind::object_arena ||
         kind == BlockKind::shared_map;
}

}  // namespace tenure::ledger
