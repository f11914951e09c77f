// analyze/compare/baseline.h: the leaks and errors that a project lives with for now, each at its figures.
// World: offline. Pure; report/baseline_json.h has the file.
#pragma once
#include <cstdint>
#include <vector>

#include "analyze/compare/line_match.h"
#include "analyze/compare/rules.h"
#include "analyze/findings/findings.h"

namespace tenure::analyze {

struct BaselineEntry {
  LineKey line;
  double bytes_per_step = 0;
  uint64_t bytes = 0;
};

struct Baseline {
  double tolerance = kBaselineTolerance;  // share that a figure may be larger by
  std::vector<BaselineEntry> entries;
};

// With the leaks, growth and errors of a run; what it has already takes the larger figures.
void add_to_baseline(const Findings& findings, Baseline& baseline);

}  // namespace tenure::analyze
