// analyze/growth/lines.h: the sites that may be growing, by the line they are told under.
// World: offline. Pure: evidence and causes in, groups out.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/causes/causes.h"
#include "analyze/evidence/evidence.h"

namespace tenure::analyze {

enum class LineGroup { blocks, maps, arenas, code };
// The last: whether the program asked not to be told of it.
using LineKey = std::tuple<std::string, int, std::string, LineGroup, bool>;

// The sites of one line, or of all lines of a cause that an adapter saw.
struct GrowthLine {
  std::vector<SiteEvidence> sites;
  std::optional<size_t> cause;
  std::map<SiteId, size_t> cause_lines;  // which line of the cause a site lies at
};
using GrowthLines = std::map<LineKey, GrowthLine>;

// All sites that are told under the same line are one cause, and all lines of a cause that an adapter saw; but address
// space is not added to memory, and code that was generated there only tells of what compiles. Python's arenas are one
// group: the line that needed the next arena made only the last of its objects.
// `kept_by_program`: sites that belong to no cause although they lie at its lines.
GrowthLines growth_lines(Frames& frames, const Evidence& evidence, const Causes& causes,
                         const std::set<SiteId>& kept_by_program);

}  // namespace tenure::analyze
