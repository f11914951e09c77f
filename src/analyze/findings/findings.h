// analyze/findings/findings.h: what a run has to tell, as data: the contract `tenure-findings/2`.
// World: offline. Plain data: analyze fills it, report prints it. What is for people to read (title, why, fix, holder, op,
// per, reason, ending, losses) is a text that holds encoded sentences (base/sentence.h), which report renders.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/balance/line_balance.h"
#include "analyze/balance/memory_parts.h"
#include "analyze/balance/own_cost.h"
#include "analyze/balance/processes.h"
#include "analyze/balance/verdict.h"
#include "analyze/errors/errors.h"
#include "analyze/growth/rule.h"
#include "analyze/heap/holder.h"
#include "analyze/run/place.h"
#include "base/vocabulary.h"

namespace tenure::analyze {

struct Finding {
  Kind kind = Kind::native_growth;
  Severity severity = Severity::note;
  std::string title;
  std::string why;
  std::string fix;  // empty: none follows from the evidence
  double confidence = 0;
  std::vector<Place> where;  // best first
  std::optional<Holder> holder;
  std::string op;  // what made it there: its name, or whose backward it is; empty: not known
  std::string device = "cpu";
  uint64_t bytes = 0;  // live at the worst moment
  uint64_t count = 0;
  bool is_estimated = false;  // count and bytes, from samples
  std::optional<double> bytes_per_step;
  std::optional<uint64_t> steps;
  bool are_steps_estimated = false;
  std::string per;  // the unit of a step: analyze/run/units.h
  std::optional<uint64_t>
      steps_till_full;      // of the machine's memory, at this pace; nothing: far off
  uint64_t free_bytes = 0;  // that the machine had left, where that is told
  std::optional<ErrorText> error;
  std::vector<int> pids;  // of the processes it was found in
  std::string
      accepted_by;  // the entry of the configuration, or the call; empty: nobody accepted it
};

// A line that made memory, and what it came to.
struct ConsideredLine {
  Place place;
  GrowthClass what = GrowthClass::dismissed;
  Rule rule = Rule::gone;         // that decided
  std::optional<Holder> holder;   // nothing: not asked for, or nobody was found
  uint64_t bytes = 0, count = 0;  // alive at the moment that was judged
  uint64_t most_bytes = 0;        // that its sites ever held, each at its own time
  double bytes_per_step = 0;
  uint64_t steps = 0;
  std::string per;
};

struct ProgramInfo {
  std::vector<std::string> arguments;
  std::string python;  // empty: no Python
  std::map<std::string, std::string> frameworks;
  int exit_code = 0;
  std::optional<int> signal;
  bool is_running = false;
  bool is_end_unseen = false;  // it is gone, and nobody saw how
  bool is_guarded = false;     // its blocks were: `tenure run --guard`
  int processes = 0;
};

struct Findings {
  Verdict verdict = Verdict::unknown;
  std::string reason;  // why unknown; empty otherwise
  std::string ending;  // how it ended, if not by itself: interrupted where, killed by what
  std::optional<Place> ended_at;  // the line it was interrupted in
  ProgramInfo program;
  uint64_t peak_bytes = 0;  // of tracked blocks, main process
  JointPeak joint_peak;     // of all processes together, at least what the findings tell
  uint64_t live_bytes = 0;
  uint64_t resident_peak_bytes = 0;
  std::map<std::string, uint64_t>
      at_peak;                // what of the peak is known by its role in a model: "activations"...
  uint64_t unseen_bytes = 0;  // resident in a process at its most, and in nothing we know of
  uint64_t unseen_growth_bytes = 0;  // that came along the run, of the process with most
  std::string unseen_library;        // whose allocator most likely has it; empty: not known
  uint64_t peak_step = 0;            // 0: no series to count it in
  MemoryParts parts;
  std::map<std::string, std::string> losses;  // what was not seen; key is a stable name
  OwnCost cost;
  uint64_t steps = 0;                      // of the main series
  std::string per;                         // its unit
  std::vector<Finding> findings;           // most important first
  std::vector<ConsideredLine> considered;  // every line that was looked at, largest first
  std::vector<LineBalance> balance;        // of each process
  std::vector<ProcessFigures> processes;   // in the order in which they began
};

}  // namespace tenure::analyze
