#include "inproc/accounting/own_cost.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "inproc/accounting/gate.h"
#include "inproc/os/clock.h"
#include "inproc/os/memory.h"
#include "inproc/os/sandbox.h"

namespace tenure::inproc {
namespace {

// Of a timed path. The first block of a line takes tens of microseconds, and imports make thousands: they count. What took
// longer was interrupted. The governor is stricter: one such path must not look like a busy window.
constexpr uint64_t kLongestTold = 100'000;  // nanoseconds

// Two readings with nothing between them: the least of a few is undisturbed.
uint64_t cost_of_clock() noexcept {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 16; ++i) {
    uint64_t first = now_ns(), second = now_ns();
    if (second - first < least) least = second - first;
  }
  return least;
}

// Uniform in 1 .. 2 * kTimedEvery - 1, so kTimedEvery on average.
int32_t draw_gap(uint32_t& random) noexcept {
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  return static_cast<int32_t>(random % (2 * OwnCost::kTimedEvery - 1)) + 1;
}

// True for one caller when `interval` has passed.
bool is_due(std::atomic<uint64_t>& last, uint64_t now, uint64_t interval) noexcept {
  uint64_t before = last.load(std::memory_order_relaxed);
  return now - before >= interval &&
         last.compare_exchange_strong(before, now, std::memory_order_relaxed);
}

// How often the threshold doubles at once. If each doubling halved the cost, half of what is needed: rather one window more
// than blocks sampled without need.
int steps_for(uint64_t times_budget) noexcept {
  return std::max(1, static_cast<int>(std::bit_width(times_budget)) / 2);
}

void open_window(ThreadCost& thread, uint64_t now) noexcept {
  thread.window_started_ns = now;
  thread.window_ns = 0;
  thread.window_samples = 0;
}

}  // namespace

void OwnCost::start(ledger::Writer* ledger, uint64_t now) noexcept {
  ledger_ = ledger;
  add_part(before_ledger_ns_.exchange(0, std::memory_order_relaxed));
  clock_ns_ = cost_of_clock();
  raised_at_ns_.store(now, std::memory_order_relaxed);
  measured_at_ns_.store(now, std::memory_order_relaxed);
  looked_at_ns_.store(now, std::memory_order_relaxed);
}

uint64_t OwnCost::begin(ThreadCost& thread) const noexcept {
  bool is_new = thread.random == 0;
  if (is_new)
    thread.random = static_cast<uint32_t>(mix(reinterpret_cast<uintptr_t>(&thread), now_ns())) | 1;
  thread.until_timed = draw_gap(thread.random);
  return is_new ? 0 : now_ns();
}

void OwnCost::finish(ThreadCost& thread, uint64_t started, uint64_t now) noexcept {
  uint64_t took = now - started > clock_ns_ ? now - started - clock_ns_ : 0;
  ledger_->header().hook_ns.fetch_add(std::min(took, kLongestTold) * kTimedEvery,
                                      std::memory_order_relaxed);
  thread.window_ns += std::min(took, kLongestNs) * kTimedEvery;
  ++thread.window_samples;
  judge_window(thread, now);
  if (is_due(measured_at_ns_, now, kMemoryEveryNs)) measure_memory();
  if (is_due(looked_at_ns_, now, kLookEveryNs)) look_at_clocks(now);
}

void OwnCost::look_at_clocks(uint64_t now) noexcept {
  if (is_sandboxed()) return;
  ledger::Header& h = ledger_->header();
  h.last_look_tick.store(h.tick.load(std::memory_order_relaxed), std::memory_order_relaxed);
  h.last_look_mono_ns.store(now, std::memory_order_relaxed);
  h.last_look_cpu_ns.store(process_cpu_ns(), std::memory_order_relaxed);
}

void OwnCost::judge_window(ThreadCost& thread, uint64_t now) noexcept {
  bool is_quiet = now - ledger_->header().started_mono_ns < kQuietNs;
  if (is_quiet || thread.window_started_ns == 0) return open_window(thread, now);
  uint64_t elapsed = now - thread.window_started_ns;
  if (elapsed < kWindowNs || thread.window_samples < kFewestSamples) return;
  uint64_t times_budget = thread.window_ns * kBudget / elapsed;
  if (times_budget >= 1) raise_threshold(now, steps_for(times_budget));
  open_window(thread, now);
}

// At most once in a window, however many threads are over the budget: each raise must show what it brought.
void OwnCost::raise_threshold(uint64_t now, int steps) noexcept {
  size_t threshold = g_exact_from.load(std::memory_order_relaxed);
  if (threshold >= kHighestThreshold || !is_due(raised_at_ns_, now, kWindowNs)) return;
  threshold = std::min(threshold << steps, kHighestThreshold);
  g_exact_from.store(threshold, std::memory_order_relaxed);
  ledger_->header().exact_threshold = static_cast<uint32_t>(threshold);
}

void OwnCost::add_part(uint64_t ns) noexcept {
  std::atomic<uint64_t>& sum = ledger_ ? ledger_->header().adapter_ns : before_ledger_ns_;
  sum.fetch_add(ns, std::memory_order_relaxed);
}

void OwnCost::add_adapter_bytes(uint64_t before, uint64_t after) noexcept {
  if (ledger_ && after > before)
    ledger_->header().adapter_bytes.fetch_add(after - before, std::memory_order_relaxed);
}

void OwnCost::measure_memory() noexcept {
  if (is_sandboxed()) return;
  ledger_->header().own_bytes.store(own_resident_bytes() + ledger_->populated_bytes(),
                                    std::memory_order_relaxed);
}

}  // namespace tenure::inproc
