// analyze/balance/processes.h: the processes of a run with their figures, and the most that all of them held at once.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analyze/balance/process_role.h"
#include "record/record.h"

namespace tenure::analyze {

struct ProcessFigures {
  int pid = 0, parent_pid = 0;
  std::vector<std::string> arguments;
  double began_seconds = 0, ended_seconds = 0;  // since the first process of the run began
  uint64_t peak_bytes = 0, live_bytes = 0;      // tracked blocks, small ones by their estimates
  uint64_t resident_peak_bytes = 0;  // the most the kernel told at a look; 0: nobody looked
  bool has_leak = false;
  ProcessRole role;
};

// Of one process of the record that left a ledger. Whether it leaks is not filled in, nor what it is to the others.
ProcessFigures figures_of_process(const record::Record& record, int index);

// Without those that left no ledger; in the order in which they began. Of roles only the ranks.
std::vector<ProcessFigures> process_figures(const record::Record& record);

// What the processes held together at the worst moment, on one clock, and how many of them held some of it.
struct JointPeak {
  uint64_t bytes = 0;
  size_t processes = 0;
};
JointPeak joint_peak(const record::Record& record);

}  // namespace tenure::analyze
