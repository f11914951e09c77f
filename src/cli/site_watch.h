// cli/site_watch.h: which sites of a process hold its live memory, looked at from time to time: what the chart of memory by
// category is made of. What a site is to the program may become known later, so sites are kept, not categories.
// World: beside the program; reads its ledger where it lies. One thread. Bounded: so many sites of each look.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "record/site_looks.h"

namespace tenure::cli {

class SiteWatch {
 public:
  void look(Tick tick, const void* ledger);  // one more
  void drop_every_other();

  // The sites that held most at one of the looks.
  record::ProcessLooks told(size_t position) const;

 private:
  struct Look {
    Tick tick;
    std::vector<std::pair<uint64_t, uint32_t>> held;  // bytes and site, largest first
  };
  std::vector<Look> looks_;
};

}  // namespace tenure::cli
