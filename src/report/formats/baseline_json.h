// report/formats/baseline_json.h: the file of a baseline, `tenure-baseline/1`: written to be reviewed, and read back.
// World: offline. Pure functions. docs/check.md describes it.
#pragma once
#include <string>

#include "analyze/compare/baseline.h"
#include "base/result.h"

namespace tenure::report {

// Paths relative to `directory`.
std::string baseline_json(const analyze::Baseline& baseline, const std::string& directory);

// An error names the file and what is wrong with it.
Result<analyze::Baseline> read_baseline(const std::string& text, const std::string& file);

}  // namespace tenure::report
