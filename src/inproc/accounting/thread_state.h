// inproc/accounting/thread_state.h: what each thread of the program carries for us.
// World: inside. Owned by its thread; the big part is mapped at the first tracked birth and freed when the thread ends.
#pragma once
#include "base/poisson.h"
#include "inproc/stacks/thread_stack.h"

namespace tenure::inproc {

struct ThreadState {
  int64_t bytes_until_sample;  // the fast path subtracts from this; below zero: a sample
  bool is_seeded;
  bool is_busy;     // inside our slow path: a signal handler must not enter it again
  bool is_gone;     // the thread is ending; no new stack memory is mapped for it
  uint32_t births;  // every 64th is timed
  uint64_t random;
  ThreadStack* stack;
};

extern thread_local ThreadState g_thread;

// The thread's stack memory, mapped on first use; nullptr when there is none to be had.
ThreadStack* thread_stack() noexcept;

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
