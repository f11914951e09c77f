// report/process_words.h: processes of a run as people speak of them: "worker 2 of 4 (process 4711)", "ranks 1 and 3 of 4".
// World: offline. Pure.
#pragma once
#include <string>
#include <vector>

#include "analyze/balance/processes.h"

namespace tenure::report {

// "main", "worker 2 of 4", "rank 1 of 4"; empty for one that only its program tells from others.
std::string role_words(const analyze::ProcessRole& role);

// Those of `pids`, joined; empty where the run had one process alone.
std::string process_words(const std::vector<analyze::ProcessFigures>& processes,
                          const std::vector<int>& pids);

}  // namespace tenure::report
