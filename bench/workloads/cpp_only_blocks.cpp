// Nothing but malloc and free of all sizes from 16 bytes to 64 KiB: the worst case for whoever counts blocks.
#include <cstdlib>

#include "measured.h"

static double loop(long n) {
  static void* held[256];
  double sum = 1;
  unsigned random = 1;
  for (long i = 0; i < n; ++i) {
    random = random * 1664525 + 1013904223;
    unsigned at = random >> 24, size = 16u << ((random >> 8) % 13);
    std::free(held[at]);
    held[at] = std::malloc(size);
    *static_cast<char*>(held[at]) = 1;
    sum += size;
  }
  return sum;
}

int main() { steady(loop, 100'000, 3'000'000); }
