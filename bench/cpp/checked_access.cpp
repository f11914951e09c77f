// What a check costs: the same sum over one buffer, by a raw pointer and by each checked way. One line per round: ns an
// access.
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <numeric>

#include "tenure/tensor_view.h"

namespace {

constexpr std::int64_t kElements = 1024;  // stays in the first cache
constexpr std::int64_t kAccesses = 20'000'000;
constexpr int kRounds = 9;

// Of this thread: other programs on the machine do not count.
double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The compiler must take memory for changed: each access reads its pointer, and each check its word, anew.
template <class Access>
double ns_per_access(const Access& access) {
  float sum = 0;
  double began = cpu_ns();
  for (std::int64_t i = 0; i < kAccesses; ++i) {
    asm volatile("" ::: "memory");
    sum += access(i & (kElements - 1));
  }
  double took = cpu_ns() - began;
  asm volatile("" ::"x"(sum));
  return took / kAccesses;
}

}  // namespace

int main() {
  using namespace tenure;
  Scope scope(ScopeKind::step, "bench");
  Buffer<float> buffer(scope, "values", kElements);
  std::iota(buffer.values().begin(), buffer.values().end(), 0.0F);
  TensorView<float> view(buffer, {kElements});
  float* raw = buffer.data();
  for (int round = 0; round < kRounds; ++round) {
    double by_pointer = ns_per_access([&](std::int64_t i) { return raw[i]; });
    double by_buffer = ns_per_access([&](std::int64_t i) { return buffer.data()[i]; });
    double by_view = ns_per_access([&](std::int64_t i) { return view.data()[i]; });
    double by_index = ns_per_access([&](std::int64_t i) { return view.at({i}); });
    double by_lease = ns_per_access([&](std::int64_t i) { return buffer.lease().values()[i]; });
    std::printf("%f %f %f %f %f\n", by_pointer, by_buffer, by_view, by_index, by_lease);
  }
}
