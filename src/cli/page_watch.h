// cli/page_watch.h: looks from time to time at the pages that forked processes share with their parent, and have copied.
// World: beside the program. One thread. What it costs falls as a run goes on: the number of looks grows with its logarithm.
#pragma once
#include <chrono>
#include <map>
#include <set>
#include <vector>

#include "cli/ledger_spooler.h"
#include "record/record.h"

namespace tenure::cli {

class PageWatch {
 public:
  // Milliseconds until the next look; -1: there is only one process.
  int pause(const LedgerSpooler& ledgers) const;
  void look(const LedgerSpooler& ledgers);  // if it is time

  void list_in(std::vector<record::ProcessOutcome>* processes) const;

 private:
  using Clock = std::chrono::steady_clock;
  void add(const ForkedProcess& process);
  void thin_out();

  std::map<size_t, std::vector<record::PageMoment>> moments_;  // by position of the process
  std::set<size_t> dull_;                                      // share too little to be watched
  Clock::time_point next_ = Clock::now();
  int sparser_ = 1;  // doubled whenever every other moment was dropped
};

}  // namespace tenure::cli
