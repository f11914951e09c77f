// report/block_path.h: who holds one block, for `tenure show --path` and `tenure.holders()`.
// World: offline. Pure functions.
#pragma once
#include <string>

#include "analyze/heap/block_path.h"

namespace tenure::report {

// "8.0 MiB, held by global list `losses` of train.py (3 items)", then one line per step of the way; ends with a newline.
std::string block_path_text(const analyze::BlockPath& path, const std::string& directory);

}  // namespace tenure::report
