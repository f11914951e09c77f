// analyze/page/page.h: what the report page draws, as data: memory over the run, lines, the tree of calls, blocks, processes.
// World: offline. Plain data, bounded by rules.h; what is for people to read is a text of sentences, as in findings.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/heap/block_path.h"
#include "analyze/run/place.h"
#include "analyze/run/scopes.h"
#include "base/ids.h"
#include "base/vocabulary.h"
#include "record/site_looks.h"

namespace tenure::analyze {

// The same moment on every axis that the page offers.
struct PageMoment {
  Tick tick = 0;
  double position = 0;  // along the program's own work, 0 to 1; before it: kPageStart to 0, by time
  double seconds = 0;   // since the process began
  double step = 0;      // of the main unit; 0 where there is none
  uint64_t live = 0;    // bytes that are counted
  uint64_t anonymous = 0;  // resident, by the kernel; 0: not known
};

enum class PageMarkKind {
  peak,
  snapshot,
  failed_allocation,
  uncaught_error,
  interrupted,
  teardown
};

struct PageMark {
  PageMarkKind kind;
  Tick tick;
  uint64_t bytes = 0;  // at the peak, or asked for in vain
};

// Of what one line made and is still alive, how much had been born by each moment.
struct PageBand {
  size_t line;                // in PageProcess::lines
  std::vector<double> bytes;  // parallel to the moments
  std::vector<SiteId> sites;
};

// What memory is to the program, as far as that is known; in the order in which the chart stacks it. What comes and goes in
// each step is last.
enum class MemoryCategory {
  parameter,  // and buffers of a model
  optimizer_state,
  graph,   // operations and constants of a graph
  native,  // made by native code that no Python called
  python,  // arrays, buffers and objects that Python made
  tensor,  // whose role is not known
  gradient,
  activation
};

struct PageCategory {
  MemoryCategory what;
  std::vector<double> bytes;  // parallel to the moments, without what the bands show
};

// Births of one line in one stretch of the run, and what is left of them.
struct PageBirths {
  Tick from = 0, to = 0;
  double born = 0, alive = 0;  // bytes
  double count = 0;            // alive
};

struct PageLine {
  Place place;       // without a line: a library of native code
  std::string kind;  // of most of its bytes: "tensor", "heap"...
  std::string op;    // a text; empty: none is known
  std::string role;
  uint64_t peak_bytes = 0, peak_count = 0;
  uint64_t live_bytes = 0, live_count = 0;
  uint64_t total_bytes = 0, total_count = 0;
  std::optional<GrowthClass> came_to;  // nothing: it held too little to be looked at
  std::vector<PageBirths> births;      // of the larger lines only
  double judged_bytes = 0;             // alive, of those
};

// Calls from the outside in. Parents come before their children.
struct PageCall {
  uint32_t parent = 0;  // the first is its own
  std::string name, file;
  int line = 0;
  bool is_users = false;
  uint64_t peak_bytes = 0, live_bytes = 0, total_bytes = 0;  // with everything inside
};

struct PageBlock {
  Place place;
  std::string block;  // as `tenure show --path` takes it; empty: no object leads to it
  std::string op;
  std::string form;  // "float32 [64, 512]"; empty: not known
  uint64_t bytes = 0;
  Tick born = 0;
  double born_step = 0, age_steps = 0;  // 0 where no step is known
  std::string holder;                   // a text; empty: not known
  std::vector<PathStep> path;
};

struct PageProcess {
  int pid = 0, parent_pid = 0;
  bool is_main = false;
  std::string command;
  uint64_t peak_bytes = 0, live_bytes = 0, resident_peak_bytes = 0;
  double began_seconds = 0, ended_seconds = 0;  // since the run began
  std::string per;                              // a text: what a step is; empty: none is known
  uint64_t steps = 0;
  std::vector<PageMoment> moments;
  std::vector<PageMark> marks;
  std::vector<PageBand> bands;
  std::vector<PageCategory> categories;
  std::vector<PageLine> lines;  // most at the peak first
  PageLine other_lines;         // what was left out, as one
  size_t left_out = 0;          // lines in that
  uint64_t leaking_bytes = 0;
  std::vector<PageCall> calls;
  std::vector<PageCall> by_holder, by_module,
      by_op;                      // all, groups, lines; names of groups are texts, empty: not known
  std::vector<PageBlock> blocks;  // largest first
};

struct Page {
  std::vector<record::ProcessLooks>
      looks;                           // what the record has of them: given by who asks for a page
  std::vector<PageProcess> processes;  // the main one first, then by what they held
  size_t processes_left_out = 0;
  size_t shown_first = 0;  // the one that leaks most; else the main one
  std::vector<ScopeRow> scopes;
};

}  // namespace tenure::analyze
