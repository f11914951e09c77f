// inproc/os/thread_end.h: something to be done when a thread of the program ends.
// World: inside. Any thread. The first use makes a key; where there is none to be had, nothing is done.
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {

class ThreadEnd {
 public:
  constexpr explicit ThreadEnd(void (*call)(void*) noexcept) noexcept : call_(call) {}

  // `call(value)` will run at the end of this thread; `value` is not null. May allocate.
  void set(void* value) noexcept {
    if (is_ready()) pthread_setspecific(key_, value);
  }

 private:
  enum State : uint8_t { unmade, ready, none };

  bool is_ready() noexcept {
    if (state_.load(std::memory_order_acquire) == unmade) make();
    return state_.load(std::memory_order_acquire) == ready;
  }

  void make() noexcept {
    SpinGuard guard(lock_, LockRank::thread_ends);
    if (state_.load(std::memory_order_relaxed) != unmade) return;
    bool is_made = pthread_key_create(&key_, call_) == 0;
    state_.store(is_made ? ready : none, std::memory_order_release);
  }

  void (*call_)(void*) noexcept;
  pthread_key_t key_ = 0;  // written once, before `ready`
  std::atomic<State> state_{unmade};
  std::atomic<uint8_t> lock_{0};
};

}  // namespace tenure::inproc
