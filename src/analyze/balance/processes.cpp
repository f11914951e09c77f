#include "analyze/balance/processes.h"

#include <algorithm>

#include "analyze/balance/memory_parts.h"
#include "analyze/balance/rules.h"
#include "analyze/run/lifetime.h"
#include "analyze/run/process_run.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

struct Level {  // of one process from a moment on
  uint64_t mono_ns;
  size_t process;
  uint64_t bytes;
};

// Small blocks have no timeline: they are taken to come and go with the others.
void add_levels(const ledger::Reader& ledger, const Lifetime& lifetime, size_t process,
                std::vector<Level>& levels) {
  const ledger::Header& h = ledger.header();
  const uint64_t counted = std::max<uint64_t>(h.peak_bytes.load(), 1),
                 total = tracked_memory(ledger).peak_bytes;
  const double scale = static_cast<double>(total) / static_cast<double>(counted);
  uint64_t peak_ns = lifetime.began_ns;
  for (const ledger::TimelineEntry& entry : ledger.timeline()) {
    if (entry.mono_ns == 0) continue;
    if (entry.tick <= h.peak_tick.load()) peak_ns = std::max(peak_ns, entry.mono_ns);
    levels.push_back(
        {entry.mono_ns, process, whole(static_cast<double>(entry.live_bytes) * scale)});
  }
  // The entries are moments among many: the peak itself may lie between two of them.
  levels.push_back({peak_ns, process, total});
  levels.push_back({lifetime.ended_ns + 1, process, 0});
}

size_t holders_of(const std::vector<uint64_t>& held, uint64_t all) {
  return static_cast<size_t>(std::count_if(held.begin(), held.end(), [&](uint64_t bytes) {
    return static_cast<double>(bytes) >= kShareOfJointPeak * static_cast<double>(all);
  }));
}

uint64_t first_start(const record::Record& record) {
  uint64_t first = ~0ull;
  for (const auto& [_, ledger] : record.ledgers)
    first = std::min(first, ledger.header().started_mono_ns);
  return first;
}

ProcessFigures figures_since(uint64_t first_ns, const ledger::Reader& ledger,
                             const record::ProcessOutcome& outcome) {
  const ledger::Header& h = ledger.header();
  const Lifetime lifetime = lifetime_of(ledger, outcome);
  const auto seconds = [&](uint64_t ns) { return static_cast<double>(ns - first_ns) / 1e9; };
  const TrackedMemory tracked = tracked_memory(ledger);
  ProcessFigures figures{h.pid, h.parent_pid, arguments_of(ledger)};
  figures.began_seconds = seconds(lifetime.began_ns);
  figures.ended_seconds = seconds(lifetime.ended_ns);
  figures.peak_bytes = tracked.peak_bytes;
  figures.live_bytes = tracked.live_bytes;
  figures.resident_peak_bytes = std::max(outcome.resident.peak, outcome.resident.total);
  figures.role = rank_in(ledger.fact("rank")).value_or(ProcessRole{});
  return figures;
}

const record::ProcessOutcome& outcome_of(const record::Record& record, int index) {
  return record.outcome.processes[static_cast<size_t>(index)];
}

}  // namespace

ProcessFigures figures_of_process(const record::Record& record, int index) {
  return figures_since(first_start(record), record.ledgers.at(index), outcome_of(record, index));
}

std::vector<ProcessFigures> process_figures(const record::Record& record) {
  std::vector<ProcessFigures> all;
  const uint64_t first = first_start(record);
  for (const auto& [index, ledger] : record.ledgers)
    all.push_back(figures_since(first, ledger, outcome_of(record, index)));
  std::stable_sort(all.begin(), all.end(), [](const ProcessFigures& a, const ProcessFigures& b) {
    return a.began_seconds < b.began_seconds;
  });
  return all;
}

JointPeak joint_peak(const record::Record& record) {
  std::vector<Level> levels;
  size_t count = 0;
  for (const auto& [index, ledger] : record.ledgers) {
    add_levels(ledger, lifetime_of(ledger, outcome_of(record, index)), count++, levels);
  }
  std::stable_sort(levels.begin(), levels.end(),
                   [](const Level& a, const Level& b) { return a.mono_ns < b.mono_ns; });
  std::vector<uint64_t> held(count, 0);
  uint64_t sum = 0;
  JointPeak peak;
  for (const Level& level : levels) {
    sum = sum - held[level.process] + level.bytes;
    held[level.process] = level.bytes;
    if (sum <= peak.bytes) continue;
    peak = {sum, holders_of(held, sum)};
  }
  return peak;
}

}  // namespace tenure::analyze
