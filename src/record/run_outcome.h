// record/run_outcome.h: what `tenure run` knew of a run and saw of it from outside: the contents of run.json.
// World: offline. Plain data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"

namespace tenure::record {

// Resident memory of a process as the kernel told it, in bytes.
struct ResidentMemory {
  uint64_t total = 0;
  uint64_t peak = 0;
  uint64_t anonymous = 0;
  uint64_t file = 0;
  uint64_t shared = 0;
  uint64_t stack = 0;
};

// A moment of the supervisor's watch over the main process.
struct Moment {
  double seconds = 0;  // since the start
  uint64_t resident = 0;
  uint64_t live = 0;
};

// When there are too many of them: the rest still covers all of the run.
template <class T>
void drop_every_other(std::vector<T>& moments) {
  size_t kept = 0;
  for (size_t i = 0; i < moments.size(); i += 2) moments[kept++] = moments[i];
  moments.resize(kept);
}

// Pages of a forked process at one moment: what it shares with others, and what is its own by now. In bytes.
struct PageMoment {
  Tick tick = 0;  // of its ledger
  uint64_t own = 0;
  uint64_t shared = 0;
  uint64_t anonymous = 0;  // of both
  uint64_t faults = 0;     // minor ones so far: one is needed for each page that is copied
};

// What a process had at one moment, by the kernel and by its own count, and how far it had come. In bytes.
struct MemoryMoment {
  Tick tick = 0;        // of its ledger
  uint64_t cpu_ns = 0;  // processor time until then; 0: not known
  uint64_t anonymous = 0;
  uint64_t live = 0;   // blocks that are counted
  uint64_t small = 0;  // blocks that are estimated
  uint64_t own = 0;    // Tenure's
};

// Resident bytes of one large anonymous mapping, at the looks that saw it.
struct MappingHistory {
  uint64_t start = 0;  // address
  uint64_t bytes = 0;  // address space, last seen
  std::string name;    // as the kernel tells it: a file, "[heap]"; empty: none
  std::vector<uint64_t> resident;
};

struct ProcessOutcome {
  int pid = 0;
  std::string ledger;                  // file name in the record
  bool has_begun = true;               // false: it came no further than to join; it has no ledger
  ResidentMemory resident;             // last seen
  uint64_t live = 0;                   // tracked bytes at that moment
  uint64_t seen_ns = 0;                // when that was, on the machine's clock; 0: never
  std::vector<std::string> snapshots;  // file names in the record, oldest first
  std::vector<PageMoment> pages;       // of a forked process that shares much with its parent
  std::vector<MemoryMoment> memory;    // along its life
  std::vector<MappingHistory>
      mappings;  // those that grew while more became resident than was counted
};

// Options of `tenure run` and `tenure attach` that the analysis and the report must know.
struct RunSettings {
  std::string steps = "auto";  // auto, none, or the name of a series
  bool is_observing = false;
  bool is_guarding = false;
  bool is_attached = false;         // `tenure attach`: the program ran before
  bool keeps_source = true;         // false: --no-source
  std::vector<std::string> ignore;  // lines and holders that the user accepts: cli/configuration.h
};

// The machine it ran on; empty or 0 where that is not known.
struct MachineFacts {
  std::string kernel;        // "Linux 6.8.0"
  std::string architecture;  // "x86_64"
  std::string libc;          // "glibc 2.36"
  uint64_t cpus = 0;
  uint64_t memory_bytes = 0;
  uint64_t page_bytes = 0;
};

// What the kernel counted for the run, in nanoseconds of processor time and bytes. 0: not known.
struct OwnUsage {
  uint64_t program_ns = 0;        // the program and the children it waited for, with Tenure in them
  uint64_t supervisor_ns = 0;     // `tenure run` until all of the run was collected
  uint64_t analysis_ns = 0;       // from then until the verdict was known
  uint64_t supervisor_bytes = 0;  // most that was resident of it while the program ran
};

struct RunOutcome {
  std::string tenure;  // the version that recorded it, "0.1.0 (1a2b3c4d5e6f)"
  RunSettings settings;
  MachineFacts machine;
  std::vector<std::string> arguments;
  uint64_t started_ns = 0;  // when the program began, in nanoseconds since 1970
  std::string directory;    // where the program was started
  int main_pid = 0;
  uint64_t main_started = 0;  // kernel's clock ticks: tells it from a later process of that number
  bool has_ended = false;
  bool is_detached = false;  // `tenure attach` is over; the program went on
  bool is_end_unseen =
      false;  // it is gone, and nobody saw how: Tenure was killed first. Not written
  int exit_code = 0;
  int signal = 0;  // 0: it exited
  double seconds = 0;
  uint64_t resident_peak = 0;
  OwnUsage own;
  uint64_t oom_kills = 0;             // counted by the kernel in this cgroup while it ran
  uint64_t available_at_end = 0;      // memory the machine had left at the last look
  bool was_interrupted = false;       // Ctrl-C
  std::string not_seen;               // why no ledger came, if none did
  std::vector<std::string> troubles;  // what went wrong with the recording itself
  std::vector<ProcessOutcome> processes;
  std::vector<Moment> moments;

  bool is_complete() const { return has_ended || is_detached; }  // nothing more is recorded
};

}  // namespace tenure::record
