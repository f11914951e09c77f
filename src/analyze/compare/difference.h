// analyze/compare/difference.h: what differs between two runs: causes that came, went or changed, and memory by line.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/findings/findings.h"

namespace tenure::analyze {

enum class Change {
  appeared,
  worse,
  unclear,  // it is not there any more, but the later run saw too little to tell
  same,
  better,
  gone,
};

// A leak, growth or error of one run or both. Of one that is gone, `after` may be the note that it came to.
struct FindingChange {
  Change change = Change::same;
  std::optional<size_t> before, after;  // in the findings of each run
};

// What a line held at most, over all processes.
struct LineMemory {
  Place place;
  std::optional<Holder> holder;
  GrowthClass what = GrowthClass::dismissed;
  uint64_t bytes = 0;
};

struct LineChange {
  std::optional<LineMemory> before,
      after;  // nothing: the line made too little there, or is not there

  uint64_t bytes_before() const { return before ? before->bytes : 0; }
  uint64_t bytes_after() const { return after ? after->bytes : 0; }
};

struct Difference {
  std::vector<FindingChange> findings;  // what is new first, what is gone last
  std::vector<LineChange> lines;        // those that changed much, most first
};

Difference compare(const Findings& before, const Findings& after);

}  // namespace tenure::analyze
