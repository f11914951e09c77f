// analyze/causes/causes.h: what adapters saw happen that makes memory grow, joined to the lines where it grows.
// World: offline. Pure over a ledger; one per ledger.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/run/frames.h"

namespace tenure::analyze {

struct CauseLine {
  std::string file, function;
  int line = 0;
  bool is_primary = false;   // a line to look at; the others only suffer
  bool has_callees = false;  // what functions called from it make counts too
  bool is_end = false;       // what piled up was released here
  Tick last_tick = 0;
  uint64_t bytes = 0;  // that grew here
};

// One thing that grows, e.g. a graph, with all lines that have a part in it.
struct GrowthCause {
  Kind kind = Kind::native_growth;
  std::string holder, why, fix;
  std::string variable;  // the name in its module of the container that fills; empty: not known
  uint32_t number = 0;   // snapshots know the objects that pile up by it
  uint64_t times = 0;    // of the line where it happened most
  uint64_t objects = 0;  // the same of the lines to look at: each time was one object more
  bool forgets_nothing =
      false;  // one holder that is never made anew lets nothing go while it lives
  Tick first_tick = 0, last_tick = 0;
  std::vector<CauseLine> lines;
};

class Causes {
 public:
  explicit Causes(Frames& frames);

  struct Match {
    size_t cause;
    size_t line;
  };
  // The cause that blocks of this site belong to. A cause alone never makes a finding: memory must grow at its lines.
  std::optional<Match> of(SiteId site) const;

  // The sites at lines of causes that hold a good deal, each as big as a leak would be.
  std::vector<SiteId> claimed() const;
  // What worker threads of the framework made has no line: it belongs to the one session or graph that grows, if it is one.
  std::optional<Match> of_workers(StackId stack) const;

  const GrowthCause& operator[](size_t i) const { return causes_[i]; }

 private:
  Frames& frames_;
  std::vector<GrowthCause> causes_;
  bool has_any_ = false;  // that came up often enough
};

}  // namespace tenure::analyze
