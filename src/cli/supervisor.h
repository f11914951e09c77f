// cli/supervisor.h: starts the program, stays beside it like a shell would, and lives on when it dies.
// World: beside the program, same terminal and process group. One thread.
#pragma once
#include <string>
#include <vector>

#include "analyze/record.h"
#include "base/result.h"

namespace tenure::cli {

struct Launch {
  std::vector<std::string> arguments;  // [0] is the resolved program
  std::string library;                 // the preloaded library
  std::string directory;               // the record
};

// Runs the program to its end. An Error means it was never started.
Result<analyze::RunOutcome> supervise(const Launch& launch);

// Ends this process as the program ended: same exit code, or killed by the same signal.
[[noreturn]] void end_like(const analyze::RunOutcome& outcome);

}  // namespace tenure::cli
