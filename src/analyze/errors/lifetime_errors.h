// analyze/errors/lifetime_errors.h: the lifetime errors of a process: born where, ended by whom, used where.
// World: offline. Pure over a ledger.
#pragma once
#include "analyze/errors/errors.h"
#include "analyze/run/frames.h"

namespace tenure::analyze {

std::vector<LifetimeError> lifetime_errors(Frames& frames);

// Runs that wait for a queue at the end of what was recorded, as warnings.
std::vector<LifetimeError> waits_for_queues(Frames& frames);
bool is_waiting(const ledger::Reader& ledger);

}  // namespace tenure::analyze
