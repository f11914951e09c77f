// cli/supervisor.h: starts the program, stays beside it like a shell would, and lives on when it dies.
// World: beside the program, same terminal and process group. One thread.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/record_keeper.h"
#include "record/record.h"

namespace tenure::cli {

struct Launch {
  std::string path;                    // what is executed
  std::vector<std::string> arguments;  // [0] as the user typed it
  std::string library;                 // to be preloaded; empty: none
  std::string directory;               // the record
  const char* heap;                    // that blocks come from: a value of kHeapVariable
  bool counts_small_arrays;            // of NumPy, below 1 KiB
  record::RunSettings settings;        // kept in the record
  std::string not_seen;                // why no ledger will come; empty if one should
  // Told once when a Ctrl-C has no effect because the program waits for what cannot come.
  std::function<void(const record::Record&)> on_unresponsive = {};
  int output =
      -1;  // what the program prints to a terminal goes here instead, and it has no keys; -1: it has the terminal
};

// Runs the program to its end and gives back what was recorded. An Error means it was never started: with kCannotWatch it can
// still be run without Tenure, with any other exit code it cannot be run at all.
Result<record::Record> supervise(const Launch& launch);

// Ends this process as the program ended: same exit code, or killed by the same signal.
[[noreturn]] void end_like(const record::RunOutcome& outcome);

}  // namespace tenure::cli
