// report/live_state.h: what `tenure live` shows of a program at one moment, and what its user has asked to see of it.
// World: offline. Plain data: cli fills it, live_frame.h draws it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/balance/own_cost.h"
#include "analyze/findings/findings.h"
#include "record/placement.h"
#include "record/run_outcome.h"

namespace tenure::report {

// A line that made memory.
struct LiveLine {
  analyze::ConsideredLine line;
  uint64_t live_bytes = 0;  // at the last look
};

struct LiveProcess {
  int pid = 0;
  uint64_t live_bytes = 0, resident_bytes = 0;
  uint64_t own_bytes = 0;  // Tenure's, inside of it
  int rank = record::kNoRank;
};

struct LiveState {
  analyze::Findings findings;
  std::string directory;  // where the program was started: paths are shown from there
  int pid = 0;
  bool is_complete = false;  // nothing more will be recorded
  uint64_t started_ns = 0;   // when the program began: tells the run from others
  double seconds = 0;        // of the run, until these figures
  double age_seconds = 0;    // of these figures
  uint64_t live_bytes = 0, resident_bytes = 0;
  std::vector<record::Moment> moments;
  std::vector<LiveProcess> processes;  // largest first
  std::vector<LiveLine> lines;
  std::string
      output_file;  // of a program that runs in the view's terminal; empty: it has one of its own
  std::vector<std::string> output;  // the last rows of that
  analyze::OwnCost cost_so_far;     // without what the looks took
};
inline constexpr size_t kMostOutputRows = 6;

enum class LiveOrder { live, most, growth, place };
inline constexpr int kLiveOrders = 4;

enum class LivePage { lines, details, help };

struct LiveView {
  LiveOrder order = LiveOrder::live;
  LivePage page = LivePage::lines;
  std::string filter;          // only lines whose place or holder has this
  bool is_typing = false;      // the filter
  std::string selected;        // key_of() a line; empty, or a line that is gone: the first one
  std::string notice;          // what became of the last key; told until the next one
  std::string lasting_notice;  // the same, that stays: the record is gone
  bool is_shared = false;      // the program runs in this terminal: its keys are sent on to it
};

// Terminal columns and rows.
struct LiveSize {
  int columns = 80;
  int rows = 24;
};

}  // namespace tenure::report
