// analyze/evidence/step_profile.h: survivors laid along their phase, from the first step that left one to the last: when in
// it what is still alive was made.
// World: offline. Values.
#pragma once
#include <vector>

#include "analyze/evidence/site_history.h"
#include "analyze/run/units.h"

namespace tenure::analyze {

class StepProfile {
 public:
  StepProfile(const Unit& unit, const std::vector<const SiteHistory*>& histories);

  double first_step() const { return first_; }  // with a survivor; 0 if there is none

  // Distinct steps of the later half of the phase that left survivors, as far as the ledger can tell them apart.
  double late_steps() const;
  // Of eight equal parts of that half, those that left survivors: few are bursts.
  int late_parts() const;
  // Bytes kept per step at the end of the phase, over the mean of it: 1 is steady, below it slows down.
  // Samples are few: then the end is half of the steps, not a quarter.
  double pace(bool is_sampled) const;

 private:
  struct Piece {
    double from, to, survivors, bytes;
  };
  size_t bin_of(double step) const;
  void put(const Piece& piece);

  double first_ = 0, last_ = 0, steps_ = 1;  // of the phase
  std::vector<double> survivors_, bytes_;    // by equal parts of it
};

}  // namespace tenure::analyze
