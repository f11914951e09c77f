// inproc/os/clock.h: time without side effects. World: inside. Any thread; errno is kept.
#pragma once
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace tenure::inproc {

inline uint64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// Goes up evenly with time, at a rate of the processor's own; a few cycles, no call.
inline uint64_t cycle_count() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return now_ns();
#endif
}

// Of the calling thread: what others take of a busy machine does not count.
inline uint64_t own_cpu_ns() noexcept { return now_ns(CLOCK_THREAD_CPUTIME_ID); }

inline uint64_t spent_in(const rusage& usage) noexcept {
  auto micro = static_cast<uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  auto seconds = static_cast<uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  return seconds * 1000000000u + micro * 1000u;
}

// Of all threads of the process, and of the children it has waited for: a program that lets them work is at work. System
// calls: not for every block.
inline uint64_t process_cpu_ns() noexcept {
  rusage children{};
  syscall(SYS_getrusage, RUSAGE_CHILDREN, &children);
  return now_ns(CLOCK_PROCESS_CPUTIME_ID) + spent_in(children);
}

// process_cpu_ns() as it was at most kStale ago, without its system calls most times. Threads that ask at once may both read.
class CoarseCpuClock {
 public:
  uint64_t now() noexcept {
    const uint64_t time = now_ns();
    if (time - read_ns_.load(std::memory_order_relaxed) < kStale)
      return cpu_ns_.load(std::memory_order_relaxed);
    const uint64_t cpu = process_cpu_ns();
    cpu_ns_.store(cpu, std::memory_order_relaxed);
    read_ns_.store(time, std::memory_order_relaxed);
    return cpu;
  }
  void restart() noexcept { read_ns_.store(0, std::memory_order_relaxed); }  // in a forked child

 private:
  static constexpr uint64_t kStale = 100'000;     // ns
  std::atomic<uint64_t> read_ns_{0}, cpu_ns_{0};  // relaxed: a figure, nothing depends on it
};

}  // namespace tenure::inproc
