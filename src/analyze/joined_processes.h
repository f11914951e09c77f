// analyze/joined_processes.h: the same cause in several processes, as in the workers of a pool, is one finding.
// World: offline. Pure.
#pragma once
#include <vector>

#include "analyze/findings.h"

namespace tenure::analyze {

class JoinedProcesses {
 public:
  void add(std::vector<Finding> of_process);
  // All of them; those of several processes say so.
  std::vector<Finding> take();

 private:
  std::vector<Finding> findings_;
  std::vector<size_t> processes_;  // of each finding
};

}  // namespace tenure::analyze
