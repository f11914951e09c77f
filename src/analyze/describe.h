// analyze/describe.h: growth as a finding a person can act on: kind, lines, words.
// World: offline.
#pragma once
#include "analyze/findings.h"
#include "analyze/growth.h"

namespace tenure::analyze {

Place place_of(const ReadableFrame& frame, const std::string& role);

// Findings for the growths of one process; growths with one cause are joined.
std::vector<Finding> describe_growth(Frames& frames, std::vector<Growth> growths);

}  // namespace tenure::analyze
