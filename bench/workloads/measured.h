// What bench/measured.py is for Python: times loop(rounds) after loop(warm_up), and tells it on one line.
#pragma once
#include <cstdio>
#include <ctime>

inline double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline const double kStarted = seconds_of(CLOCK_MONOTONIC);

inline long peak_kib() {
  long kib = 0;
  std::FILE* status = std::fopen("/proc/self/status", "r");
  for (char line[256]; std::fgets(line, sizeof line, status);)
    std::sscanf(line, "VmHWM: %ld", &kib);
  std::fclose(status);
  return kib;
}

// `loop` gives a number that depends on all its work, so that none of it is left out.
template <class Loop>
void steady(Loop loop, long warm_up, long rounds) {
  double sum = loop(warm_up);
  double began = seconds_of(CLOCK_MONOTONIC), began_cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  sum += loop(rounds);
  double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began_cpu;
  double seconds = seconds_of(CLOCK_MONOTONIC) - began;
  if (sum == 0) std::fputs("nothing was done\n", stderr);
  std::printf("%f %f %ld %f %f %f\n", seconds, cpu, peak_kib(), kStarted,
              seconds_of(CLOCK_MONOTONIC), cpu);
}
