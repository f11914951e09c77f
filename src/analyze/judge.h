// analyze/judge.h: from a record to findings and a verdict. The whole of the analysis in one call.
// World: offline. Reads source files for the text of lines; writes nothing.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/explain.h"
#include "analyze/findings.h"
#include "analyze/record.h"

namespace tenure::analyze {

struct JudgeOptions {
  std::string steps = "auto";  // auto, none, or the name of a series
};

Findings judge(const Record& record, const JudgeOptions& options);

// Who held most, by the snapshot of the main process that saw most alive; nothing if none was taken.
std::optional<HolderSummary> biggest_holders(const Record& record, size_t most);

}  // namespace tenure::analyze
