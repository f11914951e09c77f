// analyze/death.h: how the program ended, when it did not end by itself: memory refused, killed, interrupted.
// World: offline.
#pragma once
#include <optional>

#include "analyze/findings.h"
#include "analyze/frames.h"
#include "analyze/record.h"

namespace tenure::analyze {

// The finding `out-of-memory`, if that is what the program died of.
std::optional<Finding> out_of_memory(Frames& frames, const RunOutcome& outcome);

// "Interrupted at train.py:12 in wait()."; empty if it ended by itself.
std::string ending_sentence(Frames& frames, const RunOutcome& outcome);
std::string ending_sentence(const RunOutcome& outcome);  // without a ledger to ask for the line

// A script that never ran because Python could not read it; empty otherwise.
std::string never_ran(const ledger::Reader& ledger);

}  // namespace tenure::analyze
