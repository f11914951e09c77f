// analyze/run/activity.h: how far a run had come at which tick, by what it did and not by the clock: blocks that were made
// and processor time that was used, half each. Waiting is no progress.
// World: offline. Pure: a ledger in, positions out.
#pragma once
#include <vector>

#include "ledger/reader.h"

namespace tenure::analyze {

class Activity {
 public:
  // From `start`, where the program's own work began, to where the interpreter was taken apart, or the process ended.
  Activity(const ledger::Reader& ledger, Tick start);

  // 0 at the start, 1 at the end. `cpu_ns`: of a moment between two births, the processor time until then; 0: not known.
  double position(Tick tick, uint64_t cpu_ns = 0) const;
  // Share of the processor time alone; 0 where it was not measured.
  double work_after(Tick tick, uint64_t cpu_ns = 0) const;
  // Share of all processor time until then, also of a program that mostly waits: its rounds take some all the same. 0 to 1.
  double cpu_share(Tick tick) const;
  Tick tick_at(double position) const;  // the first tick that is so far

  Tick start() const { return start_; }
  Tick end() const { return end_; }

 private:
  struct Moment {
    Tick tick;
    double work;  // processor time until then, in ns, without waiting
    double cpu;   // with it
  };
  struct Look;

  double at(Tick tick, double Moment::* what) const;  // interpolated
  double work_at(Tick tick) const { return at(tick, &Moment::work); }
  double work_by(uint64_t cpu_ns) const;
  void add_work(const std::vector<Look>& looks);

  Tick start_, end_;
  std::vector<Moment>
      moments_;  // by tick; the last is the end, and may have that of the one before
};

}  // namespace tenure::analyze
