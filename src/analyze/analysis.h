// analyze/analysis.h: from a record to findings and a verdict. The whole of the analysis in one call.
// World: offline. Stage after stage, each in a folder of its own; no way back.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/heap/block_path.h"
#include "analyze/heap/holders.h"
#include "analyze/page/page.h"
#include "record/record.h"

namespace tenure::analyze {

struct JudgeOptions {
  std::string steps;  // auto, none, or the name of a series; empty: as the run was asked
  bool is_from_first_step = false;  // of that series: what was made before it is not judged
};

// `page`: is filled with what the report page draws, if it is asked for.
Findings judge(const record::Record& record, const JudgeOptions& options, Page* page = nullptr);

struct HolderOptions {
  size_t most = 8;
  int pid = 0;             // 0: the main process
  bool is_newest = false;  // ask the newest snapshot, not the one that saw most alive
};

// Who held most in one process; nothing if no snapshot was taken.
std::optional<HolderSummary> biggest_holders(const record::Record& record,
                                             const HolderOptions& options);

// Who holds one block, as the list of holders names it; nothing if there is no such block.
std::optional<BlockPath> path_to(const record::Record& record, BlockId block, int pid);

}  // namespace tenure::analyze
