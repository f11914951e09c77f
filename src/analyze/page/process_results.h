// analyze/page/process_results.h: what each process of a run came to by itself, before equal causes are joined: for tables of many runs.
// World: offline. Plain data.
#pragma once
#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/page/page.h"

namespace tenure::analyze {

struct ProcessResults {
  int index = 0;     // in the record
  PageProcess page;  // as detailed as the main one's, without calls
  std::vector<Finding> findings;
  std::vector<ConsideredLine> considered;
  bool leaks = false;
};

}  // namespace tenure::analyze
