// analyze/causes.h: growth whose cause an adapter saw happen gets that cause's kind and words.
// World: offline. Pure: a ledger and findings in, findings changed.
#pragma once
#include "analyze/findings.h"
#include "analyze/frames.h"

namespace tenure::analyze {

// A cause alone never makes a finding; it must recur late in the run, at a line where memory grows.
void name_causes(Frames& frames, std::vector<Finding>& growths);

}  // namespace tenure::analyze
