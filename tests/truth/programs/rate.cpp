// Makes few blocks, then as many as it can for a while, then few again, and keeps its own books. Prints them as JSON.
// `//= name`: the line that makes the blocks booked under that name. Big blocks are always counted one by one; the
// others only until the governor finds that too dear.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

constexpr uint64_t kBig = 100 << 10, kMiddle = 1500;
static uint64_t big_count, middle_count;

static double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

static void calm_until(double end) {
  do {
    char* volatile p = static_cast<char*>(std::malloc(kBig));  //= big
    p[0] = 1;
    ++big_count;
    std::free(p);
    timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  } while (now() < end);
}

static void storm_until(double end) {
  do {
    for (int i = 0; i < 10'000; ++i) {
      char* volatile p = static_cast<char*>(std::malloc(kMiddle));  //= middle
      p[0] = 1;
      ++middle_count;
      std::free(p);
    }
  } while (now() < end);
}

int main() {
  double began = now();
  calm_until(began + 2.1);  // the governor leaves a program's first two seconds alone
  storm_until(began + 4);
  calm_until(began + 4.5);
  std::printf("{\"big\": %ju, \"middle\": %ju}\n", static_cast<uintmax_t>(big_count),
              static_cast<uintmax_t>(middle_count));
}
