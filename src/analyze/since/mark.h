// analyze/since/mark.h: a stretch of a process that was marked: a cell of a notebook, from its first statement to its last.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ledger/reader.h"

namespace tenure::analyze {

// What was born after `from` and up to `to` was made in the stretch.
struct MarkedStretch {
  Tick from = 0, to = ~Tick{0};
  uint64_t live_before = 0, live_after = 0;  // bytes; `live_after` only where it has ended
  uint64_t peak_rise = 0;                    // bytes above `live_before`
  bool has_ended = false;
};

// The last one of that name; nothing where none has begun. Read from the notes "mark.NAME": `begin TICK LIVE`, then
// `end TICK LIVE PEAK`.
std::optional<MarkedStretch> marked_stretch(const ledger::Reader& ledger, const std::string& name);

}  // namespace tenure::analyze
