#include "analyze/run/timeline.h"

#include <algorithm>
#include <chrono>

#include "analyze/run/process_run.h"
#include "analyze/run/units.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

double seconds_between(uint64_t from_ns, uint64_t to_ns) {
  return to_ns < from_ns
             ? 0
             : std::chrono::duration<double>(std::chrono::nanoseconds(to_ns - from_ns)).count();
}

ProcessTimeline timeline_of(Frames& frames, uint64_t began_ns) {
  ProcessTimeline timeline;
  timeline.pid = frames.ledger().header().pid;
  Units units(frames);
  const auto unit = units.main_unit();
  for (const ledger::TimelineEntry& entry : frames.ledger().timeline()) {
    TimelinePoint point{seconds_between(began_ns, entry.mono_ns), entry.live_bytes, std::nullopt};
    if (unit) point.steps = whole(std::max(0.0, unit->count_at(entry.tick)));
    timeline.points.push_back(point);
  }
  std::stable_sort(timeline.points.begin(), timeline.points.end(),
                   [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return timeline;
}

}  // namespace

std::vector<ProcessTimeline> timelines(const record::Record& record) {
  std::vector<ProcessTimeline> all;
  const std::optional<int> main = main_process(record);
  if (!main) return all;
  const uint64_t began_ns = record.ledgers.at(*main).header().started_mono_ns;
  for (const auto& [index, ledger] : record.ledgers) {
    Frames frames(ledger, *record.symbols);
    all.push_back(timeline_of(frames, began_ns));
    all.back().is_main = index == *main;
  }
  return all;
}

}  // namespace tenure::analyze
