#include "cli/job_placement.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

namespace tenure::cli {
namespace {

// torchrun and accelerate; Open MPI; MPICH, Intel MPI; PMIx; Slurm. The first that is there counts: torchrun inside of a Slurm
// job numbers its own processes.
constexpr std::string_view kRankVariables[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                               "PMIX_RANK", "SLURM_PROCID"};
// torchrun's --rdzv-id is one for all hosts, as is a number of Slurm or PBS.
constexpr std::string_view kJobVariables[] = {"TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "PBS_JOBID"};
constexpr std::string_view kNoJob = "none";  // torchrun without --rdzv-id

std::optional<std::string_view> value_of(std::string_view environment, std::string_view name) {
  for (size_t at = 0; at < environment.size();) {
    const size_t end = std::min(environment.find('\0', at), environment.size());
    const std::string_view entry = environment.substr(at, end - at);
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
    at = end + 1;
  }
  return std::nullopt;
}

int rank_from(std::string_view text) {
  int number = record::kNoRank;
  const char *begin = text.data(), *end = begin + text.size();
  const auto [stopped, error] = std::from_chars(begin, end, number);
  return error == std::errc() && stopped == end && number >= 0 ? number : record::kNoRank;
}

}  // namespace

int rank_in(std::string_view environment) {
  for (std::string_view name : kRankVariables) {
    const auto value = value_of(environment, name);
    const int rank = value ? rank_from(*value) : record::kNoRank;
    if (rank != record::kNoRank) return rank;
  }
  return record::kNoRank;
}

std::string job_in(std::string_view environment) {
  for (std::string_view name : kJobVariables) {
    const auto value = value_of(environment, name);
    if (value && !value->empty() && *value != kNoJob) return std::string(*value);
  }
  return "";
}

void JobPlacement::look(const std::vector<record::ProcessOutcome>& processes) {
  for (; looked_at_ < processes.size(); ++looked_at_) {
    const record::ProcessOutcome& process = processes[looked_at_];
    std::ifstream file(fmt::format("/proc/{}/environ", process.pid), std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    if (const int rank = rank_in(environment); rank != record::kNoRank) {
      placement_.ranks[process.ledger] = rank;
      is_new_ = true;
    }
    if (!placement_.job.empty()) continue;
    placement_.job = job_in(environment);
    is_new_ |= !placement_.job.empty();
  }
}

Result<bool> JobPlacement::write_down() {
  if (!is_new_) return true;
  is_new_ = false;
  return record::write_placement(directory_, placement_);
}

}  // namespace tenure::cli
