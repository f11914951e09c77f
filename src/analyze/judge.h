// analyze/judge.h: from a record to findings and a verdict. The whole of the analysis in one call.
// World: offline. Reads source files for the text of lines; writes nothing.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/block_path.h"
#include "analyze/explain.h"
#include "analyze/findings.h"
#include "analyze/record.h"

namespace tenure::analyze {

struct JudgeOptions {
  std::string steps = "auto";  // auto, none, or the name of a series
};

Findings judge(const Record& record, const JudgeOptions& options);

struct HolderOptions {
  size_t most = 8;
  int pid = 0;             // 0: the main process
  bool is_newest = false;  // ask the newest snapshot, not the one that saw most alive
};

// Who held most in one process; nothing if no snapshot was taken.
std::optional<HolderSummary> biggest_holders(const Record& record, const HolderOptions& options);

// Who holds one block, as the list of holders names it; nothing if there is no such block.
std::optional<BlockPath> path_to(const Record& record, BlockId block, int pid);

// The script that Python was given: what people call the module `__main__`. Empty: none.
std::string main_file_of(const std::vector<std::string>& arguments);

}  // namespace tenure::analyze
