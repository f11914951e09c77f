// The coarse clock of the process: never ahead of the exact one, at most a moment behind, and exact after a fork.
#include "inproc/os/clock.h"

#include <gtest/gtest.h>

namespace tenure::inproc {
namespace {

void work_for(uint64_t ns) {
  const uint64_t began = process_cpu_ns();
  while (process_cpu_ns() - began < ns) {
  }
}

TEST(CoarseCpuClock, IsNeverAheadOfTheExactOne) {
  CoarseCpuClock clock;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t coarse = clock.now();
    EXPECT_LE(coarse, process_cpu_ns());
  }
}

TEST(CoarseCpuClock, GoesOnWithTheProcess) {
  CoarseCpuClock clock;
  const uint64_t before = clock.now();
  work_for(2'000'000);
  EXPECT_GE(clock.now() - before, 2'000'000u);
}

TEST(CoarseCpuClock, RemembersNothingAfterARestart) {
  CoarseCpuClock clock;
  const uint64_t before = clock.now();
  work_for(1);
  clock.restart();
  EXPECT_GT(clock.now(), before);
}

}  // namespace
}  // namespace tenure::inproc
