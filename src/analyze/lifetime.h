// analyze/lifetime.h: the lifetime errors of a process as findings: born where, ended by whom, used where.
// World: offline. Pure over a ledger.
#pragma once
#include "analyze/findings.h"
#include "analyze/frames.h"

namespace tenure::analyze {

std::vector<Finding> describe_stories(Frames& frames);

bool is_same_line(const ReadableFrame* a, const ReadableFrame* b);  // false if one is missing

// Runs that wait for a queue at the end of what was recorded, as warnings.
std::vector<Finding> describe_waits(Frames& frames);
bool is_waiting(const ledger::Reader& ledger);

}  // namespace tenure::analyze
