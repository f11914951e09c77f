// inproc/accounting/metered_part.h: work of ours that is metered whole: start, boot, adapters, pauses for snapshots, and
// what a hook does only rarely.
// World: inside. Any thread. Not for every block: the processor time of a thread is a system call.
//
// Parts may lie inside each other: the outermost counts. Slow paths inside are not timed again.
#pragma once
#include <algorithm>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/os/clock.h"
#include "inproc/os/files.h"
#include "inproc/os/memory.h"
#include "inproc/os/sandbox.h"

namespace tenure::inproc {

class MeteredPart {
 public:
  MeteredPart() noexcept : MeteredPart(CLOCK_THREAD_CPUTIME_ID, UINT64_MAX) {}
  ~MeteredPart() {
    ThreadCost& thread = g_thread.cost;
    if (thread.depth == 0) return;  // the process has forked in it
    --thread.depth;
    if (thread.depth > 0) return;
    uint64_t ended = now(), began = thread.part_began_ns;
    accounting().cost().add_part(std::min(ended > began ? ended - began : 0, most_ns_));
    thread.until_timed = thread.turn_put_off;
    ++thread.parts;
  }
  MeteredPart(const MeteredPart&) = delete;
  MeteredPart& operator=(const MeteredPart&) = delete;

 protected:
  MeteredPart(clockid_t clock, uint64_t most_ns) noexcept : clock_(clock), most_ns_(most_ns) {
    ThreadCost& thread = g_thread.cost;
    if (thread.depth++ > 0) return;
    thread.turn_put_off = thread.until_timed;
    thread.until_timed = INT32_MAX;
    thread.part_began_ns = now();
  }

 private:
  // A sandbox may not know the call.
  uint64_t now() const noexcept { return is_sandboxed() ? 0 : now_ns(clock_); }

  clockid_t clock_;
  uint64_t most_ns_;
};

// One call of an adapter, of some microseconds: by the clock, which costs little. What took longer waited for another
// thread or process.
class MeteredCall : public MeteredPart {
 public:
  static constexpr uint64_t kLongestNs = 5'000'000;  // when Python lets another thread go on
  MeteredCall() noexcept : MeteredPart(CLOCK_MONOTONIC, kLongestNs) {}
};

// Adapters that are loaded or run at rare moments: also what they make resident.
class MeteredAdapters : public MeteredPart {
 public:
  MeteredAdapters() noexcept {
    ErrnoKeeper keeper;
    if (g_thread.cost.depth == 1) before_ = resident_memory().all_bytes;
  }
  ~MeteredAdapters() {
    ErrnoKeeper keeper;
    if (before_ != 0) accounting().cost().add_adapter_bytes(before_, resident_memory().all_bytes);
  }

 private:
  uint64_t before_ = 0;
};

}  // namespace tenure::inproc
