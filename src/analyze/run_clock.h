// analyze/run_clock.h: what time it was at which tick of a run, as the program felt it: pauses for snapshots left out.
// World: offline. Pure: a ledger in, times out.
#pragma once
#include <vector>

#include "ledger/reader.h"

namespace tenure::analyze {

class RunClock {
 public:
  // Moments after `end` are no part of the run.
  RunClock(const ledger::Reader& ledger, Tick end);

  uint64_t time_at(Tick tick) const;  // ns; between two moments in proportion
  Tick tick_at(uint64_t ns) const;    // behind the last moment: its tick
  uint64_t last() const { return moments_.empty() ? 0 : moments_.back().ns; }

  // A time of the system's clock, on this one.
  uint64_t felt(uint64_t mono_ns) const;

 private:
  struct Moment {
    Tick tick;
    uint64_t ns;
  };
  struct Pause {
    uint64_t until_ns;  // by the system's clock
    uint64_t ns;
  };
  std::vector<Pause> pauses_;
  std::vector<Moment> moments_;  // by tick
};

}  // namespace tenure::analyze
