// analyze/growth/siblings.h: lines that run in several processes, such as the handler of a server's workers.
// World: offline. Pure. Called once, when every process has been judged by itself.
#pragma once
#include <vector>

#include "analyze/growth/growth.h"

namespace tenure::analyze {

// A line that leaks in one process leaks in the others too where they only ran it too few times to tell: a worker that was
// asked ten times beside one that was asked fifty. What spoke against a leak in such a process stands.
void join_siblings(const std::vector<GrowthJudgements*>& processes);

}  // namespace tenure::analyze
