// analyze/run_axis.h: where on the axis of births the program's own work began, was half done and ended.
// World: offline. Pure: a ledger and its units in, ticks out.
#pragma once
#include "analyze/units.h"

namespace tenure::analyze {

inline constexpr uint64_t kLeastBytes = 256 << 10;

struct RunAxis {
  Tick half;          // of the births and of the time, whichever is later
  Tick held_until;    // what was alive then was held to the end
  Tick worked_until;  // the last loop of the user's own went so far
  uint64_t least_bytes;
};

// The run begins with the program's own first loop: imports make more blocks than many a program, and hold more.
RunAxis axis_of(const ledger::Reader& ledger, const Units& units);

}  // namespace tenure::analyze
