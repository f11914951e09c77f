// inproc/snapshot/late_growth.h: whether anything of what is alive is worth a walk of the heap: blocks that lines kept one
// after another, and not only at the beginning. World: inside. Pure over a ledger; its writers may go on meanwhile.
#pragma once
#include "ledger/writer.h"

namespace tenure::inproc {

// `cpu_ns`: processor time of the process so far, 0 if it cannot be had. Says yes where in doubt: an adapter counted a
// cause, a line grew by resizing, many lines kept a block each. What libraries make while they are imported does not count where
// no loop of the program came round. Cost: some 50 ns for each site, and a walk along its stack while no loop has.
bool has_late_growth(const ledger::Writer& ledger, uint64_t cpu_ns) noexcept;

}  // namespace tenure::inproc
