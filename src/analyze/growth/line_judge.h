// analyze/growth/line_judge.h: the leak test: what each line's survivors come to, before anybody asks who holds them.
// World: offline. Pure: evidence, units and causes in, one growth per line out.
#pragma once
#include <vector>

#include "analyze/growth/judgement.h"
#include "analyze/growth/lines.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

// One for each line that was looked at, also of those that are dismissed; largest first.
std::vector<Growth> judge_lines(const ProcessRun& process, const RunAxis& axis,
                                const GrowthLines& lines, const Causes& causes);

}  // namespace tenure::analyze
