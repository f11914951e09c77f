#include "inproc/accounting/timeline.h"

#include <algorithm>
#include <bit>

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {
namespace {

using ledger::TableId;
using ledger::TimelineEntry;

constexpr uint32_t kNone = ledger::Writer::kNone;
constexpr uint64_t kLongPart = 32;  // of a run so far: so long a stretch keeps both of its ends

}  // namespace

void Timeline::restart() noexcept {
  lock_.store(0, std::memory_order_relaxed);
  mask_.store(0, std::memory_order_relaxed);
  pause_cycles_.store(kShortestPause, std::memory_order_relaxed);
  first_ = {};
}

TimelineEntry& Timeline::entry(uint32_t index) noexcept {
  return *ledger_->record<TimelineEntry>(TableId::timeline, index);
}

void Timeline::append(const TimelineEntry& added) noexcept {
  uint32_t index = ledger_->claim(TableId::timeline, 1);
  if (index == kNone) return;
  entry(index) = added;
  ledger_->publish(TableId::timeline, index + 1);
}

bool Timeline::add(Tick tick, const Clocks& now) noexcept {
  SpinGuard guard(lock_, LockRank::timeline);
  if (first_.cycles == 0) first_ = now;
  bool is_full = ledger_->used(TableId::timeline) >= ledger::kTimelineEntries;
  if (is_full) halve(tick);
  append({tick, now.mono_ns, ledger_->header().live_bytes.load(std::memory_order_relaxed),
          now.cpu_ns});
  return is_full;
}

void Timeline::add_before_pause(Tick tick, uint64_t last, const Clocks& now) noexcept {
  SpinGuard guard(lock_, LockRank::timeline);
  uint32_t used = ledger_->used(TableId::timeline);
  if (last == 0 || now.cycles <= first_.cycles || used < 2) return;
  pause_cycles_.store(std::max(kShortestPause, (now.cycles - first_.cycles) / kLongPart),
                      std::memory_order_relaxed);
  double ns_per_cycle = static_cast<double>(now.mono_ns - first_.mono_ns) /
                        static_cast<double>(now.cycles - first_.cycles);
  uint64_t paused = static_cast<uint64_t>(static_cast<double>(now.cycles - last) * ns_per_cycle);
  uint64_t then = now.mono_ns - std::min(paused, now.mono_ns);
  const TimelineEntry before = entry(used - 1);
  if (before.tick + 1 >= tick || before.mono_ns >= then) return;
  // What it worked since the entry before is not known; at most all the time since.
  uint64_t cpu = std::min(before.cpu_ns + (then - before.mono_ns), now.cpu_ns);
  if (used >= ledger::kTimelineEntries) halve(tick);
  append({tick - 1, then, before.live_bytes, cpu});
}

// Every second entry goes, but for the ends of long stretches. How often a tick is worth an entry follows from the ticks
// alone: marks of loops and pauses come on top.
void Timeline::halve(Tick tick) noexcept {
  const uint32_t used = ledger_->used(TableId::timeline);
  TimelineEntry* const entries = &entry(0);
  const uint64_t is_long = (entries[used - 1].cpu_ns - entries[1].cpu_ns) / kLongPart + 1;
  uint32_t kept = 1;
  uint64_t before = entries[1].cpu_ns;
  for (uint32_t i = 1; i < used; ++i) {
    const uint64_t here = entries[i].cpu_ns;
    bool is_end =
        here > before + is_long || (i + 1 < used && entries[i + 1].cpu_ns > here + is_long);
    before = here;
    if (i % 2 == 1 || is_end) entries[kept++] = entries[i];
  }
  ledger_->publish(TableId::timeline, kept);
  uint64_t mask = std::bit_ceil(2 * tick / ledger::kTimelineEntries + 1) - 1;
  if (mask > mask_.load(std::memory_order_relaxed)) mask_.store(mask, std::memory_order_relaxed);
}

}  // namespace tenure::inproc
