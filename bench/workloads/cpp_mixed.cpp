// Small blocks by the million and vectors of 16 KB by the thousand. Prints the seconds of its own steady loop.
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

int main() {
  double sum = loop(200000);
  auto began = std::chrono::steady_clock::now();
  sum += loop(6000000);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%f\n", sum > 0 ? seconds : 0);
}
