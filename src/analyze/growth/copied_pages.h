// analyze/growth/copied_pages.h: how much of what a forked process shared with its parent it has copied, and whether step by step.
// World: offline. Pure: the supervisor's looks in, bytes out.
#pragma once
#include <vector>

#include "record/record.h"

namespace tenure::analyze {

struct CopiedPages {
  uint64_t bytes = 0;       // at the worst moment, over the first look
  bool is_gradual = false;  // over many looks; at once is a burst, as of the cyclic collector
};

CopiedPages copied_pages(const std::vector<record::PageMoment>& moments);

}  // namespace tenure::analyze
