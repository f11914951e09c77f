// cli/tell.h: from a record on disk to words on the terminal and a JSON file. What `run` and `show` have in common.
// World: offline.
#pragma once
#include <string>

#include "analyze/record.h"
#include "cli/verbs.h"

namespace tenure::cli {

// After the program: never fails loudly; the program's own end matters more.
void tell_run(const analyze::Record& record, const std::string& directory,
              const RunOptions& options);

}  // namespace tenure::cli
