#include "analyze/evidence/run_axis.h"

#include <algorithm>

#include "analyze/evidence/rules.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

// The most that was held since `start`, over what was there then.
uint64_t held_since(const ledger::Reader& ledger, Tick start) {
  const ledger::Header& h = ledger.header();
  uint64_t before = 0, most = h.peak_tick.load() >= start ? h.peak_bytes.load() : 0;
  for (const ledger::TimelineEntry& entry : ledger.timeline()) {
    if (entry.tick <= start) before = entry.live_bytes;
    if (entry.tick >= start) most = std::max(most, entry.live_bytes);
  }
  return most > before ? most - before : 0;
}

// Whether the program made memory again after it released so much, or worked much.
bool has_gone_on(const RunAxis& axis, const ledger::Release& release, uint64_t bytes) {
  Tick tick = release.tick;
  Tick end = axis.activity.end(), all = end - axis.activity.start();
  Tick births = tick < end ? end - tick : 0;
  bool is_share = static_cast<double>(births) >= kGoesOnShare * static_cast<double>(all);
  if (births >= kGoesOnBirths && is_share) return true;
  if (axis.activity.work_after(tick, release.cpu_ns) >= kGoesOnWork) return true;
  uint64_t peak = 0, before = 0, after = 0;
  for (const RunAxis::Level& level : axis.levels) {
    peak = std::max(peak, level.live_bytes);
    if (level.tick <= tick)
      before = level.live_bytes;
    else if (level.tick <= end)
      after = std::max(after, level.live_bytes);
  }
  uint64_t left = before - std::min(before, bytes);
  return after > left &&
         static_cast<double>(after - left) >= kReleasedAtEnd * static_cast<double>(peak);
}

}  // namespace

bool RunAxis::is_near_end(const ledger::Release& release, const ledger::Release& began,
                          uint64_t bytes) const {
  double released = activity.position(release.tick, release.cpu_ns);
  double took = 0;
  if (release.stack && began.stack)
    took = std::max(0.0, released - activity.position(began.tick, began.cpu_ns));
  double after = 1 - released - took * kRestOfRelease;
  return after < kReleasedAtEnd || !has_gone_on(*this, release, bytes);
}

Unit RunAxis::as_unit(double own_births) const {
  Unit unit;
  unit.steps = kStepsOfAxis;
  Tick from = activity.start(), all = activity.end() - from;
  bool is_by_cpu =
      2 * own_births >= static_cast<double>(all) && activity.cpu_share(activity.end()) > 0;
  for (Tick i = 0; i <= kStepsOfAxis; ++i) {
    Tick tick = from + all * i / kStepsOfAxis;
    double position = is_by_cpu ? activity.cpu_share(tick) : activity.position(tick);
    unit.marks.push_back({tick, position * static_cast<double>(kStepsOfAxis)});
  }
  return unit;
}

Unit RunAxis::by_work() const {
  Unit unit;
  unit.steps = kStepsOfAxis;
  Tick from = activity.start(), all = activity.end() - from;
  for (Tick i = 0; i <= kStepsOfAxis; ++i) {
    Tick tick = from + all * i / kStepsOfAxis;
    double worked = 1 - activity.work_after(tick, 0);
    unit.marks.push_back({tick, worked * static_cast<double>(kStepsOfAxis)});
  }
  return unit;
}

RunAxis axis_of(const ledger::Reader& ledger, const Units& units) {
  Activity activity(ledger, units.first_tick());
  auto held = static_cast<double>(held_since(ledger, activity.start()));
  Tick half = activity.tick_at(kHalf);
  std::vector<RunAxis::Level> levels;
  for (const ledger::TimelineEntry& entry : ledger.timeline())
    levels.push_back({entry.tick, entry.live_bytes});
  return {std::move(activity), half, std::max(kLeastBytes, whole(kLeastShareOfPeak * held)),
          std::move(levels)};
}

}  // namespace tenure::analyze
