// analyze/balance/line_balance.h: where the memory of a process was, by what its lines came to; the parts add up.
// World: offline. Pure.
#pragma once
#include <map>
#include <vector>

#include "analyze/growth/judgement.h"

namespace tenure::analyze {

// Tracked memory at one moment, every byte of it in exactly one part.
struct BalanceMoment {
  uint64_t total = 0;                       // as the process counted it, small blocks estimated
  std::map<GrowthClass, uint64_t> came_to;  // of lines that were looked at
  uint64_t small_lines = 0;                 // of lines that held too little to be looked at
  uint64_t own = 0;                         // what the adapters made
};

struct LineBalance {
  int pid = 0;
  BalanceMoment at_peak, at_end;
};

LineBalance line_balance(const Frames& frames, const std::vector<Judgement>& lines);

}  // namespace tenure::analyze
