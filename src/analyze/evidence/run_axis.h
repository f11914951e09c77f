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
  // or the teardown: it was held to the end. `bytes`: that were released. Releasing much takes time by itself: how long
  // the rest took follows from how long it took to fall from 7/8 (`began`; without a stack: not known) to a half.
  bool is_near_end(const ledger::Release& release, const ledger::Release& began,
                   uint64_t bytes) const;
  double share_after(Tick tick) const { return 1 - activity.position(tick); }

  // The axis in equal steps, for a block that knows no other. Where most births are its own, the processor time alone is
  // the axis: how often a block grew says nothing of how far the program had come.
  Unit as_unit(double own_births) const;
  // The same by work alone: births, of this line most of all, say nothing of it.
  Unit by_work() const;
};

// The run begins with the program's own first loop: imports make more blocks than many a program, and hold more.
RunAxis axis_of(const ledger::Reader& ledger, const Units& units);

}  // namespace tenure::analyze
