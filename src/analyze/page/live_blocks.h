// analyze/page/live_blocks.h: the largest blocks of the last snapshot: where they were made, how old they are, who keeps them.
// World: offline. Pure.
#pragma once
#include <optional>
#include <vector>

#include "analyze/page/page.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

std::vector<PageBlock> largest_blocks(const ProcessRun& process, const std::optional<Unit>& unit);

}  // namespace tenure::analyze
