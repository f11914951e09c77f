// analyze/step_profile.h: survivors laid along the steps of a loop: when in the run what is still alive was made.
// World: offline. Values.
#pragma once
#include <vector>

#include "analyze/survivors.h"
#include "analyze/units.h"

namespace tenure::analyze {

class StepProfile {
 public:
  explicit StepProfile(const Unit& unit);

  void add(const History& history);

  double first_step() const { return first_; }  // with a survivor; 0 if there is none

  // Distinct steps of the later half that left survivors, as far as the ledger can tell them apart.
  double late_steps() const;
  // Of eight equal parts of the later half, those that left survivors: few are bursts.
  int late_parts() const;
  // Bytes kept per step at the end, over the mean since the first survivor: 1 is steady, below it slows down.
  // Samples are few: then the end is half of the steps, not a quarter.
  double pace(bool is_sampled) const;

 private:
  static constexpr int kMostBins = 64;
  size_t bin_of(double step) const;
  void put(double from, double to, double survivors, double bytes);

  const Unit& unit_;
  double steps_;
  double first_ = 0;
  std::vector<double> survivors_, bytes_;  // by equal parts of the steps
};

}  // namespace tenure::analyze
