// analyze/findings/growth_findings.h: judgements of growth as findings a person can act on: kind, lines, words.
// World: offline.
#pragma once
#include <string>
#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/growth/judgement.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

std::string growth_title(double bytes_per_step, uint64_t bytes);

// One for each judgement. `grown_type`: of small Python objects, if known.
std::vector<Finding> describe_growth(const ProcessRun& process,
                                     const std::vector<Judgement>& judgements,
                                     const std::string& grown_type);

// When a leak will have filled the memory that the machine had left, if that is not far off.
void tell_when_full(uint64_t free_bytes, Finding& finding);

}  // namespace tenure::analyze
