// analyze/page/page_process.h: one judged process as the page draws it.
// World: offline. Pure: what the stages made of a process in, data out.
#pragma once
#include <vector>

#include "analyze/growth/judgement.h"
#include "analyze/page/page.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

// How much of each process there is.
enum class PageDetail { main_first, all_alike };

// `looks`: at sites of all processes.
PageProcess page_process(const ProcessRun& process, const std::vector<Judgement>& lines,
                         const std::vector<record::ProcessLooks>& looks, bool is_main,
                         PageDetail detail = PageDetail::main_first);

// The main one first, then those that held most; the smallest are left out.
Page page_of(std::vector<PageProcess> processes);

}  // namespace tenure::analyze
