// analyze/evidence/accumulation.h: blocks that may pile up, with what is known of them before anybody asks who holds them.
// World: offline. Values.
#pragma once
#include <cstdint>
#include <vector>

#include "analyze/evidence/site_history.h"
#include "analyze/run/units.h"

namespace tenure::analyze {

struct Accumulation {
  std::vector<SiteId> sites;              // biggest first
  std::vector<std::vector<Slice>> lives;  // of each of them: when its blocks were born
  uint64_t bytes = 0;                     // alive at the judged moment
  uint64_t bytes_at_end = 0;              // of the same sites, when the process had ended
  double survivors = 0;  // distinct blocks born in the later half that survive; samples count once
  uint64_t steps = 0;
  Unit unit;
  bool is_estimated = false;  // from sampled blocks
  bool is_one_block = false;  // that is replaced by ever bigger ones
};

}  // namespace tenure::analyze
