// inproc/os/clock.h: time without side effects. World: inside. Any thread; errno is kept.
#pragma once
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace tenure::inproc {

inline uint64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// Of the calling thread: what others take of a busy machine does not count.
inline uint64_t own_cpu_ns() noexcept { return now_ns(CLOCK_THREAD_CPUTIME_ID); }

// Of all threads of the process, and of the children it has waited for: a program that lets them work is at work. System
// calls: not for every block.
inline uint64_t process_cpu_ns() noexcept {
  rusage children{};
  syscall(SYS_getrusage, RUSAGE_CHILDREN, &children);
  uint64_t micro = static_cast<uint64_t>(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
  uint64_t seconds = static_cast<uint64_t>(children.ru_utime.tv_sec + children.ru_stime.tv_sec);
  return now_ns(CLOCK_PROCESS_CPUTIME_ID) + seconds * 1000000000u + micro * 1000u;
}

}  // namespace tenure::inproc
