// Four threads of small and middle blocks; each frees what another one made.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "measured.h"

namespace {

constexpr int kThreads = 4, kSlots = 1024;
std::atomic<void*> shared[kSlots];

void work(int number, long n) {
  unsigned random = static_cast<unsigned>(number) + 1;
  for (long i = 0; i < n; ++i) {
    random = random * 1664525 + 1013904223;
    size_t size = (random >> 8) % 16 ? 16 + (random >> 12) % 500 : 1024 + (random >> 12) % 30000;
    auto* p = static_cast<char*>(std::malloc(size));
    p[0] = 1;
    std::free(shared[(random >> 20) % kSlots].exchange(p));
  }
}

double loop(long n) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i, n / kThreads);
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(n);
}

}  // namespace

int main() { steady(loop, 100'000, 4'000'000); }
