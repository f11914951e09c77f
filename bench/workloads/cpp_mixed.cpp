// Small blocks by the million and vectors of 16 KB by the thousand.
#include <cstdlib>
#include <vector>

#include "measured.h"

static double loop(long n) {
  double sum = 1;
  std::vector<void*> held(64, nullptr);
  for (long i = 0; i < n; ++i) {
    std::free(held[i % 64]);
    held[i % 64] = std::malloc(16 + i % 200);
    if (i % 50 == 0) {
      std::vector<double> values(2048, static_cast<double>(i));
      sum += values[i % 2048];
    }
  }
  for (void* p : held) std::free(p);
  return sum;
}

int main() { steady(loop, 200'000, 6'000'000); }
