// analyze/judge.h: from a record to findings and a verdict. The whole of the analysis in one call.
// World: offline. Reads source files for the text of lines; writes nothing.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/explain.h"
#include "analyze/findings.h"
#include "analyze/record.h"

namespace tenure::analyze {

struct JudgeOptions {
  std::string steps = "auto";  // auto, none, or the name of a series
};

Findings judge(const Record& record, const JudgeOptions& options);

// What one site held and made, in the main process.
struct SiteFigures {
  Place place;
  std::string kind;
  uint64_t at_peak_bytes = 0, at_peak_count = 0;
  uint64_t live_bytes = 0, live_count = 0;
  uint64_t total_bytes = 0, total_count = 0;
  double relative_error = 0;  // 0: exact
};

// By bytes at the peak, largest first. `most` = 0: all of them.
std::vector<SiteFigures> biggest_sites(const Record& record, size_t most);

// Who held most, by the snapshot of the main process that saw most alive; nothing if none was taken.
std::optional<HolderSummary> biggest_holders(const Record& record, size_t most);

// A loop or a named step that was seen to repeat, in the main process.
struct SeenUnit {
  std::string per;
  uint64_t steps = 0;
  bool is_users = false;
};
std::vector<SeenUnit> seen_units(const Record& record);

}  // namespace tenure::analyze
