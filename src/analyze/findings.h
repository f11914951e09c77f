// analyze/findings.h: what a run has to tell, as data: the contract `tenure-findings/1`.
// World: offline. Plain data: analyze fills it, report prints it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenure::analyze {

enum class Verdict { clean, leak, lifetime_error, out_of_memory, unknown };
enum class Severity { error, leak, warning, note };

// A line the user can open. The role says why it is named.
struct Place {
  std::string file;
  int line = 0;
  std::string function;
  std::string role;    // made at | kept at | created | ended | used
  std::string source;  // the text of the line, where the file could be read
};

struct HolderStep {
  std::string name;
  std::string type;
};

struct Holder {
  std::string text;  // at most 160 characters
  std::vector<HolderStep> path;
};

struct ErrorText {
  std::string type;
  std::string message;
};

struct Finding {
  std::string kind;
  Severity severity = Severity::note;
  std::string title;
  std::string why;
  std::string fix;  // empty: none follows from the evidence
  double confidence = 0;
  std::vector<Place> where;  // best first
  std::optional<Holder> holder;
  std::string
      op;  // what made it there: "linear", "backward of MulBackward0 (net.py:12)"; empty: not known
  std::string device = "cpu";
  uint64_t bytes = 0;  // live at the worst moment
  uint64_t count = 0;
  std::optional<double> bytes_per_step;
  std::optional<uint64_t> steps;
  std::string per;  // the unit of a step, e.g. "iteration of train.py:36"
  std::optional<ErrorText> error;
};

bool has_place(const Finding& finding, const std::string& file, int line);

std::string growth_title(double bytes_per_step, uint64_t bytes);

// Where resident memory was at the last look; the parts add up to `resident`.
struct MemoryParts {
  uint64_t resident = 0;
  uint64_t tracked_live = 0;
  uint64_t other_live = 0;  // small blocks, estimated from samples
  uint64_t allocator_retention = 0;
  uint64_t code_and_stacks = 0;
  uint64_t file_pages = 0;
  uint64_t own = 0;  // Tenure itself
  uint64_t unknown = 0;
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
  ProgramInfo program;
  uint64_t peak_bytes = 0;  // of tracked blocks, main process
  uint64_t live_bytes = 0;
  uint64_t resident_peak_bytes = 0;
  std::map<std::string, uint64_t>
      at_peak;             // what of the peak is known by its role in a model: "activations"...
  uint64_t peak_step = 0;  // 0: no series to count it in
  MemoryParts parts;
  std::map<std::string, std::string> losses;  // what was not seen, in words; key is a stable name
  double own_time_share = 0;                  // of the run time, measured
  uint64_t own_bytes = 0;
  uint64_t steps = 0;             // of the main series
  std::string per;                // its unit
  std::vector<Finding> findings;  // most important first
};

const char* word(Verdict verdict);  // "clean", "leak", "lifetime-error", "out-of-memory", "unknown"
const char* word(Severity severity);  // "error", "leak", "warning", "note"

}  // namespace tenure::analyze
