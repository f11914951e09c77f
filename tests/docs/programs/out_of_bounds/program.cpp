// The last index is the size.
#include <cstddef>
#include <cstdio>
#include <vector>

static void fill(double* values, std::size_t size) {
  for (std::size_t i = 0; i <= size; ++i) values[i] = 1.0;
}

int main() {
  std::vector<double> values(1024);
  fill(values.data(), values.size());
  std::printf("%.1f\n", values[0]);
}
