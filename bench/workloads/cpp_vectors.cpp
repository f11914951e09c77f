// Vectors that grow item by item to 1 GiB.
#include <vector>

#include "measured.h"

static double loop(long n) {
  double sum = 1;
  for (long i = 0; i < n; ++i) {
    std::vector<double> values;
    for (int k = 0; k < (128 << 20); ++k) values.push_back(k);
    sum += values.back();
  }
  return sum;
}

int main() { steady(loop, 1, 2); }
