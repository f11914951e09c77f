// analyze/growth/held_growth.h: who holds what a line piles up, and what that changes in the judgement of it.
// World: offline. Pure: growths and holders in, judgements out.
#pragma once
#include <vector>

#include "analyze/growth/judgement.h"

namespace tenure::analyze {

// One judgement for each growth, in the same order. `peak_bytes`: of the process; garbage is measured by it.
std::vector<Judgement> judge_by_holders(std::vector<Growth> growths, Holders& holders,
                                        uint64_t peak_bytes);

}  // namespace tenure::analyze
