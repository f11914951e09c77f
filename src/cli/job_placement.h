// cli/job_placement.h: which host, job and rank the processes of a run have, as launchers tell them in the environment.
// World: beside the program. One thread.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/placement.h"
#include "record/run_outcome.h"

namespace tenure::cli {

// `environment`: NAME=VALUE, each closed by a zero byte. kNoRank: no launcher that we know of has started it.
int rank_in(std::string_view environment);
std::string job_in(std::string_view environment);

class JobPlacement {
 public:
  explicit JobPlacement(std::string directory) : directory_(std::move(directory)) {}
  // Each process is looked at once, soon after it joined: what it has set itself since then is not seen.
  void look(const std::vector<record::ProcessOutcome>& processes);
  Result<bool> write_down();  // when there is something new

 private:
  std::string directory_;
  record::Placement placement_{record::this_host(), "", {}};
  size_t looked_at_ = 0;
  bool is_new_ = true;
};

}  // namespace tenure::cli
