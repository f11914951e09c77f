// Small blocks by the million and vectors of 16 KB by the thousand. Tells what bench/measured.py tells.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static double loop(int n) {
  double sum = 0;
  std::vector<void*> held(64, nullptr);
  for (int i = 0; i < n; ++i) {
    std::free(held[i % 64]);
    held[i % 64] = std::malloc(16 + i % 200);
    if (i % 50 == 0) {
      std::vector<double> values(2048, i);
      sum += values[i % 2048];
    }
  }
  for (void* p : held) std::free(p);
  return sum;
}

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static long peak_kib() {
  long kib = 0;
  std::FILE* status = std::fopen("/proc/self/status", "r");
  for (char line[256]; std::fgets(line, sizeof line, status);)
    std::sscanf(line, "VmHWM: %ld", &kib);
  std::fclose(status);
  return kib;
}

int main() {
  double started = now();
  double sum = loop(200000);
  double began = now();
  sum += loop(6000000);
  double seconds = now() - began;
  std::printf("%f %ld %f %f\n", sum > 0 ? seconds : 0, peak_kib(), started, now());
}
