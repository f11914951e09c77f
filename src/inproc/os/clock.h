// inproc/os/clock.h: time without side effects. World: inside. Any thread; errno is kept.
#pragma once
#include <time.h>

#include <cstdint>

namespace tenure::inproc {

inline uint64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// Of the calling thread: what others take of a busy machine does not count.
inline uint64_t own_cpu_ns() noexcept { return now_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace tenure::inproc
