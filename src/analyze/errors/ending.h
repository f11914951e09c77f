// analyze/errors/ending.h: how the program ended, when it did not end by itself: memory refused, killed, interrupted.
// World: offline.
#pragma once
#include <optional>

#include "analyze/errors/errors.h"
#include "analyze/run/frames.h"
#include "record/record.h"

namespace tenure::analyze {

// If that is what the program died of.
std::optional<OutOfMemory> out_of_memory(Frames& frames, const record::RunOutcome& outcome);

// The line that Ctrl-C met; nothing if it was not interrupted, or not in a line.
std::optional<Place> interrupted_at(Frames& frames);

// Interrupted where, killed by what; empty if it ended by itself.
std::string ending_sentence(Frames& frames, const record::RunOutcome& outcome);
std::string ending_sentence(
    const record::RunOutcome& outcome);  // without a ledger to ask for the line

// A script that never ran because Python could not read it; empty otherwise.
std::string never_ran(const ledger::Reader& ledger);

}  // namespace tenure::analyze
