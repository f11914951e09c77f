// analyze/findings/considered.h: every line that was looked at, with its figures and the rule that decided.
// World: offline. Pure.
#pragma once
#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/growth/judgement.h"

namespace tenure::analyze {

void add_considered(const std::vector<Judgement>& judgements, std::vector<ConsideredLine>& lines);

}  // namespace tenure::analyze
