// cli/memory_watch.h: looks from time to time at how much memory each process has by the kernel and by its own count, which
// of its sites hold it, and at its large mappings when the kernel's grows and the other does not.
// World: beside the program. One thread. What it costs falls as a run goes on: moments are thinned out, and come less often.
#pragma once
#include <chrono>
#include <map>
#include <vector>

#include "cli/ledger_spooler.h"
#include "cli/site_watch.h"
#include "record/record.h"

namespace tenure::cli {

class MemoryWatch {
 public:
  int pause() const;                        // milliseconds until the next look
  void look(const LedgerSpooler& ledgers);  // if it is time

  void list_in(std::vector<record::ProcessOutcome>* processes) const;
  std::vector<record::ProcessLooks> looks() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Watched {
    std::vector<record::MemoryMoment> moments;
    SiteWatch sites;  // at the same moments
    std::vector<record::MappingHistory> mappings;
    uint64_t uncounted = 0;  // resident and not counted when the mappings were looked at
    size_t mapping_looks = 0;
  };
  void add(const LivingProcess& process);
  void look_at_mappings(int pid, Watched& watched);
  void thin_out();

  std::map<size_t, Watched> watched_;  // by position of the process
  Clock::time_point next_ = Clock::now();
  int sparser_ = 1;  // doubled whenever every other moment was dropped
};

}  // namespace tenure::cli
