// analyze/growth/comprehensions.h: what one comprehension of the user's makes is the value of one expression, and no growth.
// World: offline. Pure.
#pragma once
#include "analyze/growth/judgement.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

// Whether the loop is that of a list, set or dict comprehension whose items go into its value, as far as the program's
// code is known; its function's name tells where it is not. One that is written for what its items do, such as
// `[log.append(x) for x in xs]`, is a loop like any other.
bool is_comprehension(const bytecode::Program& program, const Unit& loop);

// Dismisses the items and the table of such a value, where the program has nothing else that comes round around them.
void dismiss_comprehensions(const ProcessRun& process, std::vector<Judgement>& judgements);

}  // namespace tenure::analyze
