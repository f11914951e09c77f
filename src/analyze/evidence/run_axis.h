// analyze/evidence/run_axis.h: the axis that growth is laid along: how far the program's own work had come at which birth.
// World: offline. Pure: a ledger and its units in, positions out.
#pragma once
#include <vector>

#include "analyze/run/activity.h"
#include "analyze/run/units.h"

namespace tenure::analyze {

struct RunAxis {
  Activity activity;
  Tick half;             // of the program's own work was done
  uint64_t least_bytes;  // of a growth that is worth a word

  struct Level {
    Tick tick;
    uint64_t live_bytes;
  };
  std::vector<Level> levels;  // by tick

  // What is released so late, or after which the program did nothing more, is released by the end of main(), exit handlers
  // or the teardown: it was held to the end. Releasing much takes time by itself. `bytes`: that were released.
  bool is_near_end(const ledger::Release& release, uint64_t bytes) const;
  double share_after(Tick tick) const { return 1 - activity.position(tick); }

  // The axis in equal steps, for what knows no other.
  Unit as_unit() const;
};

// The run begins with the program's own first loop: imports make more blocks than many a program, and hold more.
RunAxis axis_of(const ledger::Reader& ledger, const Units& units);

}  // namespace tenure::analyze
