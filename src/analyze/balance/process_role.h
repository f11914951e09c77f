// analyze/balance/process_role.h: what a process of a run is to the others: the main one, a worker of its parent, a rank.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tenure::analyze {

enum class ProcessPart : uint8_t {
  other,   // told by the name of its program
  main,    // the one that was started
  worker,  // forked by its parent like others of its kind, or started so by multiprocessing
  rank     // of a job of several, as its environment said
};

struct ProcessRole {
  ProcessPart part = ProcessPart::other;
  uint32_t number = 0;  // of a worker from 1, in the order of their pids; of a rank from 0
  uint32_t count = 0;   // of such workers of one parent, or of the job's ranks

  bool operator==(const ProcessRole&) const = default;
};

// "1/4", as the process wrote it down: rank 1 of 4. Nothing where it is no such text.
std::optional<ProcessRole> rank_in(std::string_view fact);

}  // namespace tenure::analyze
