// analyze/findings/merge.h: one cause is told once: growths of a process that share it, and the same in several processes.
// World: offline. Pure. The only place that joins.
#pragma once
#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/growth/judgement.h"
#include "analyze/run/lifetime.h"

namespace tenure::analyze {

// Of one process, largest first; those that are dismissed are left out.
std::vector<Judgement> merge_growths(std::vector<Judgement> judgements);

// Without notes of what is little beside the peak.
std::vector<Judgement> to_be_told(std::vector<Judgement> judgements, uint64_t peak_bytes);

// The same cause in several processes, as in the workers of a pool, is one finding. Its bytes are the most that were there at
// once: what workers that were replaced had held went with them.
class JoinedProcesses {
 public:
  void add(std::vector<Finding> of_process, const Lifetime& lifetime, int pid);
  // All of them, each with its processes.
  std::vector<Finding> take();

 private:
  struct Part {  // of a finding, in one process
    Lifetime lifetime;
    uint64_t bytes, count;
    int pid;
  };
  static Part most_at_once(const std::vector<Part>& parts);

  std::vector<Finding> findings_;
  std::vector<std::vector<Part>> parts_;  // of each finding
};

}  // namespace tenure::analyze
