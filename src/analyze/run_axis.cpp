#include "analyze/run_axis.h"

#include <algorithm>

#include "analyze/run_clock.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

constexpr double kLeastShare = 0.01;  // of the most that the program's own work held
constexpr double kHeldToEnd = 0.8;    // of the run, when no loop tells where its work ended
constexpr double kNearlyDone = 0.98;  // of the ticks of the user's loops
// After the last round of the last loop: less is printing and freeing, on a busy machine.
constexpr uint64_t kNoWorkNs = 100000000;

// When the program's own work was over: births and time behind it are the interpreter's teardown, and our last look.
struct RunEnd {
  Tick tick;
  uint64_t mono_ns;  // 0: not known
};

RunEnd end_of(const ledger::Reader& ledger) {
  RunEnd end{ledger.header().tick.load(), 0};
  for (const ledger::Event& event : ledger.events()) {
    if (event.kind == static_cast<uint32_t>(ledger::EventKind::teardown) && event.tick <= end.tick)
      end = {event.tick, event.mono_ns};
  }
  return end;
}

// When the program's work was over. After its last birth time goes on.
uint64_t end_of_work(const ledger::Reader& ledger, const RunClock& clock, RunEnd end, Tick last) {
  uint64_t ended = clock.felt(ledger.header().ended_mono_ns.load()), over = clock.last();
  // Where no teardown was seen, a second or more without births is work of the program; less is its teardown.
  if (end.mono_ns)
    over = std::max(over, clock.felt(end.mono_ns));
  else if (ended > over + 1000000000u)
    over = ended;
  uint64_t rounds_over = last ? clock.time_at(last) : over;
  return over < rounds_over + kNoWorkNs ? rounds_over : over;
}

// The tick that was reached when half of the time since `start` had passed. `last`: of the last round of a loop.
Tick half_by_time(const ledger::Reader& ledger, Tick start, RunEnd end, Tick last) {
  RunClock clock(ledger, end.tick);
  uint64_t began = clock.time_at(start), over = end_of_work(ledger, clock, end, last);
  return over > began ? clock.tick_at(began + (over - began) / 2) : start;
}

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

}  // namespace

RunAxis axis_of(const ledger::Reader& ledger, const Units& units) {
  RunEnd end = end_of(ledger);
  Tick start = std::min(units.first_tick(), end.tick);
  RunAxis axis{};
  axis.half =
      std::max(start + (end.tick - start) / 2, half_by_time(ledger, start, end, units.last_tick()));
  axis.held_until = static_cast<Tick>(kHeldToEnd * static_cast<double>(end.tick));
  if (Tick last = units.last_tick()) {
    axis.held_until = std::min(axis.held_until, last);
    axis.worked_until = start + static_cast<Tick>(kNearlyDone * static_cast<double>(last - start));
  }
  auto held = static_cast<double>(held_since(ledger, start));
  axis.least_bytes = std::max(kLeastBytes, whole(kLeastShare * held));
  return axis;
}

}  // namespace tenure::analyze
