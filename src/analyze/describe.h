// analyze/describe.h: growth as a finding a person can act on: kind, lines, words.
// World: offline.
#pragma once
#include "analyze/explain.h"
#include "analyze/findings.h"

namespace tenure::analyze {

// The user's frames from the inside out, one per function: where it was made, and who asked for it.
std::vector<const ReadableFrame*> user_frames(Frames& frames, StackId stack);

Place place_of(const ReadableFrame& frame, const std::string& role);

// Findings for the growths of one process; growths with one cause are joined. `grown_type`: of small Python objects, if
// known.
std::vector<Finding> describe_growth(Frames& frames, std::vector<ExplainedGrowth> growths,
                                     const std::string& grown_type);

}  // namespace tenure::analyze
