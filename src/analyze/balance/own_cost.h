// analyze/balance/own_cost.h: what Tenure itself took of the processor and of memory, over all processes of a run.
// World: offline. Pure.
#pragma once
#include "record/record.h"

namespace tenure::analyze {

// Seconds are of processor time, as the kernel counted it; only `hooks` is scaled up from samples.
struct OwnCost {
  double hooks = 0;      // counting blocks
  double adapters = 0;   // start, adapters, pauses for snapshots, rare paths of the hooks
  double snapshots = 0;  // copies of the program that walk its heap
  double supervisor = 0;
  double analysis = 0;
  double program = 0;  // what the program took without all that
  uint64_t bytes = 0;  // resident at once, inside the program's processes and beside them

  double seconds() const { return hooks + adapters + snapshots + supervisor + analysis; }
  // Of what the program took; 0 where that is not known.
  double time_share() const { return program > 0 ? seconds() / program : 0; }
};

// `usage` is what the kernel told of the run: the record's own, or newer.
OwnCost own_cost(const record::Record& record, const record::OwnUsage& usage);

}  // namespace tenure::analyze
