// A cache that forgets nothing. Everything in it can still be reached when the program ends.
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

static auto& cache = *new std::map<int, std::unique_ptr<std::vector<double>>>;

static double answer(int request) {
  auto& entry = cache[request];
  if (!entry) entry = std::make_unique<std::vector<double>>(4096, request * 0.5);
  return (*entry)[7];
}

int main() {
  double sum = 0;
  for (int request = 0; request < 2000; ++request) sum += answer(request);
  std::printf("%.1f\n", sum);
}
