#include "analyze/run_clock.h"

#include <algorithm>

namespace tenure::analyze {
namespace {

// Where `at` lies between `from` and `to`, on a scale from `low` to `high`.
uint64_t between(uint64_t at, uint64_t from, uint64_t to, uint64_t low, uint64_t high) {
  if (to <= from || high <= low) return low;
  if (at >= to) return high;
  double share = static_cast<double>(at - from) / static_cast<double>(to - from);
  return low + static_cast<uint64_t>(share * static_cast<double>(high - low));
}

}  // namespace

RunClock::RunClock(const ledger::Reader& ledger, Tick end) {
  for (const ledger::Event& event : ledger.events()) {
    if (event.kind == static_cast<uint32_t>(ledger::EventKind::pause))
      pauses_.push_back({event.mono_ns, event.value});
  }
  for (const ledger::TimelineEntry& entry : ledger.timeline()) {
    if (entry.tick <= end) moments_.push_back({entry.tick, felt(entry.mono_ns)});
  }
  // Two threads may have written theirs the other way round.
  std::sort(moments_.begin(), moments_.end(), [](const Moment& a, const Moment& b) {
    return a.tick != b.tick ? a.tick < b.tick : a.ns < b.ns;
  });
  for (size_t i = 1; i < moments_.size(); ++i)
    moments_[i].ns = std::max(moments_[i].ns, moments_[i - 1].ns);
}

uint64_t RunClock::felt(uint64_t mono_ns) const {
  uint64_t paused = 0;
  for (const Pause& pause : pauses_) {
    uint64_t began = pause.until_ns - std::min(pause.until_ns, pause.ns);
    if (mono_ns > began) paused += std::min(mono_ns, pause.until_ns) - began;
  }
  return mono_ns - std::min(mono_ns, paused);
}

uint64_t RunClock::time_at(Tick tick) const {
  auto after = std::lower_bound(moments_.begin(), moments_.end(), tick,
                                [](const Moment& m, Tick t) { return m.tick < t; });
  if (after == moments_.end()) return last();
  if (after == moments_.begin()) return after->ns;
  const Moment& before = *(after - 1);
  return between(tick, before.tick, after->tick, before.ns, after->ns);
}

Tick RunClock::tick_at(uint64_t ns) const {
  auto after = std::upper_bound(moments_.begin(), moments_.end(), ns,
                                [](uint64_t t, const Moment& m) { return t < m.ns; });
  if (after == moments_.begin()) return 0;
  const Moment& before = *(after - 1);
  if (after == moments_.end()) return before.tick;
  return between(ns, before.ns, after->ns, before.tick, after->tick);
}

}  // namespace tenure::analyze
