// inproc/accounting/thread_state.h: what each thread of the program carries for us.
// World: inside. Owned by its thread; its big part is freed when the thread ends.
#pragma once
#include "inproc/accounting/graph_nodes.h"
#include "inproc/accounting/site_table.h"
#include "inproc/accounting/thread_cost.h"
#include "inproc/stacks/thread_stack.h"

namespace tenure::inproc {

// The big part: mapped at the first tracked birth, so that threads which make none cost nothing.
struct ThreadMemory {
  ThreadStack stack;
  RecentSites sites;
  RecentNodeSites node_sites;
  uint64_t last_birth_cycles;  // see Timeline; 0: it has made none
};

struct ThreadState {
  int64_t bytes_until_sample;  // the fast path subtracts from this; below zero: a sample
  bool is_seeded;
  bool is_busy;       // inside our slow path: a signal handler must not enter it again
  bool is_gone;       // the thread is ending; no new stack memory is mapped for it
  bool is_in_pool;    // inside an allocator that has regions from libc and cuts them itself
  uint32_t ignoring;  // tenure.ignore() that the thread is in
  uint64_t random;
  ThreadCost cost;
  ThreadNodes nodes;
  ThreadMemory* memory;
};

// constinit: without it every use from another file would first ask whether it has been constructed.
extern thread_local constinit ThreadState g_thread __attribute__((visibility("hidden")));

// Mapped on first use; nullptr when there is none to be had.
ThreadMemory* make_thread_memory() noexcept;
inline ThreadMemory* thread_memory() noexcept {
  return __builtin_expect(g_thread.memory != nullptr, 1) ? g_thread.memory : make_thread_memory();
}
inline ThreadStack* thread_stack() noexcept {
  ThreadMemory* memory = thread_memory();
  return memory ? &memory->stack : nullptr;
}

// Marks the slow path. A proof of entry is passed on to nothing: it only keeps signal handlers out.
class BusyGuard {
 public:
  BusyGuard() noexcept : entered_(!g_thread.is_busy) { g_thread.is_busy = true; }
  ~BusyGuard() {
    if (entered_) g_thread.is_busy = false;
  }
  BusyGuard(const BusyGuard&) = delete;
  BusyGuard& operator=(const BusyGuard&) = delete;
  explicit operator bool() const noexcept { return entered_; }

 private:
  bool entered_;
};

}  // namespace tenure::inproc
