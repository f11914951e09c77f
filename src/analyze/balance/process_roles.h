// analyze/balance/process_roles.h: which processes of a run are workers of their parent, and which are ranks.
// World: offline. Pure.
#pragma once
#include <vector>

#include "analyze/balance/processes.h"

namespace tenure::analyze {

// `processes`: in the order in which they began; a rank that its process wrote down is there already.
void find_roles(std::vector<ProcessFigures>& processes, int main_pid);

}  // namespace tenure::analyze
