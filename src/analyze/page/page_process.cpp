#include "analyze/page/page_process.h"

#include <algorithm>
#include <cmath>

#include "analyze/balance/processes.h"
#include "analyze/page/call_tree.h"
#include "analyze/page/categories.h"
#include "analyze/page/groups.h"
#include "analyze/page/line_table.h"
#include "analyze/page/live_blocks.h"
#include "analyze/page/moments.h"
#include "analyze/page/rules.h"

namespace tenure::analyze {
namespace {

std::string command_of(const ProcessFigures& figures) {
  std::string command;
  for (const std::string& word : figures.arguments) command += (command.empty() ? "" : " ") + word;
  return command;
}

void add_figures(const ProcessRun& process, bool is_main, PageProcess& out) {
  const ProcessFigures figures = figures_of_process(process.record, process.index);
  out.pid = figures.pid;
  out.parent_pid = figures.parent_pid;
  out.is_main = is_main;
  out.command = command_of(figures);
  out.live_bytes = figures.live_bytes;
  out.peak_bytes = figures.peak_bytes;
  out.resident_peak_bytes = figures.resident_peak_bytes;
  out.began_seconds = figures.began_seconds;
  out.ended_seconds = figures.ended_seconds;
}

}  // namespace

PageProcess page_process(const ProcessRun& process, const std::vector<Judgement>& lines,
                         const std::vector<record::ProcessLooks>& looks, bool is_main,
                         PageDetail detail) {
  const bool is_whole = is_main || detail == PageDetail::all_alike;
  PageProcess out;
  add_figures(process, is_main, out);
  const std::optional<Unit> unit = process.units.main_unit();
  if (unit) {
    out.per = unit->per;
    out.steps = unit->steps;
  }
  add_moments(process, unit, out);
  add_lines(process, lines, is_whole ? kPageLines : kPageLinesOfOthers, out);
  add_bands(lines, out);
  for (const record::ProcessLooks& one : looks) {
    if (one.position == static_cast<size_t>(process.index))
      add_categories(process.frames, one, out);
  }
  add_groups(lines, out);
  for (const Judgement& line : lines) {
    const GrowthClass what = line.growth.what;
    if (what == GrowthClass::leak || what == GrowthClass::growing_block)
      out.leaking_bytes += line.growth.bytes;
  }
  if (detail == PageDetail::main_first)
    out.calls = call_tree(process.frames, is_main ? kPageCalls : kPageCallsOfOthers, kPageSites);
  if (is_whole) out.blocks = largest_blocks(process, unit);
  return out;
}

Page page_of(std::vector<PageProcess> processes) {
  Page page;
  std::stable_sort(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
    return a.is_main != b.is_main ? a.is_main : a.peak_bytes > b.peak_bytes;
  });
  if (processes.size() > kPageProcesses) {
    page.processes_left_out = processes.size() - kPageProcesses;
    processes.resize(kPageProcesses);
  }
  page.processes = std::move(processes);
  const auto most = std::max_element(
      page.processes.begin(), page.processes.end(),
      [](const auto& a, const auto& b) { return a.leaking_bytes < b.leaking_bytes; });
  page.shown_first = static_cast<size_t>(most - page.processes.begin());
  return page;
}

}  // namespace tenure::analyze
