// analyze/findings/merge.h: one cause is told once: growths of a process that share it, and the same in several processes.
// World: offline. Pure. The only place that joins.
#pragma once
#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/growth/judgement.h"

namespace tenure::analyze {

// Of one process, largest first; those that are dismissed are left out.
std::vector<Judgement> merge_growths(std::vector<Judgement> judgements);

// Without notes of what is little beside the peak.
std::vector<Judgement> to_be_told(std::vector<Judgement> judgements, uint64_t peak_bytes);

// The same cause in several processes, as in the workers of a pool, is one finding.
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
