// analyze/evidence/evidence.h: what a process shows of memory that may be growing, before anybody judges it.
// World: offline. Pure: a ledger and its units in, the sites with their survivors and the axis they are laid along out.
#pragma once
#include <deque>
#include <vector>

#include "analyze/evidence/run_axis.h"
#include "analyze/evidence/site_evidence.h"

namespace tenure::analyze {

struct Evidence {
  RunAxis axis;
  std::vector<SiteEvidence> sites;  // that ever held as much as is worth looking at
  std::deque<ledger::Site> joined;  // counters of sites that are one for the judge
};

Evidence collect_evidence(Frames& frames, const Units& units);

}  // namespace tenure::analyze
