// analyze/growth_lines.h: the sites of a run that may be growing, by the line they are told under.
// World: offline. Pure: a ledger in, candidates out.
#pragma once
#include <map>
#include <string>
#include <tuple>

#include "analyze/candidate.h"
#include "analyze/run_axis.h"

namespace tenure::analyze {

inline constexpr double kFewestLate =
    2;  // births in the later half; with fewer there is nothing to tell

enum class LineGroup { blocks, maps, arenas, code };
using LineKey = std::tuple<std::string, int, std::string, LineGroup>;
using GrowthLines = std::map<LineKey, std::vector<Candidate>>;

// All sites that are told under the same line are one cause, and all lines of a cause that an adapter saw; but address
// space is not added to memory, and code that was generated there only tells of what compiles. Python's arenas are one
// group: the line that needed the next arena made only the last of its objects.
GrowthLines growth_lines(Frames& frames, const Causes& causes, const RunAxis& axis);

}  // namespace tenure::analyze
