// analyze/judge_each.h: from a record to findings and a verdict, and beside these what each process shows alone.
// World: offline. The stages of judge() in analysis.h.
#pragma once
#include <vector>

#include "analyze/page/process_results.h"
#include "record/record.h"

namespace tenure::analyze {

// `processes`: all that left a ledger, in the order of the record.
Findings judge_each(const record::Record& record, std::vector<ProcessResults>& processes);

}  // namespace tenure::analyze
