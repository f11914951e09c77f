// Eight threads make blocks and end each other's for about a second; nothing is left. Prints what it held before and after.
// The static block stays, so that a baseline is known.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 8, kSlots = 4096;
std::atomic<char*> slots[kSlots];
std::atomic<long> bad{0};

void work(int seed, std::chrono::steady_clock::time_point until) {
  unsigned state = static_cast<unsigned>(seed) * 2654435761u + 1;
  while (std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 200; ++i) {
      state = state * 1664525u + 1013904223u;
      size_t bytes = 16 + (state >> 8) % 6000;
      char* fresh = static_cast<char*>(state & 1 ? std::malloc(bytes) : std::calloc(1, bytes));
      if (state & 2) fresh = static_cast<char*>(std::realloc(fresh, bytes * 2));
      fresh[0] = 'x';
      char* old = slots[(state >> 4) % kSlots].exchange(fresh);
      if (old && old[0] != 'x') ++bad;
      std::free(old);
    }
  }
}

}  // namespace

int main() {
  char* baseline = static_cast<char*>(std::malloc(3 << 20));
  std::memset(baseline, 1, 3 << 20);
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i, until);
    for (std::thread& thread : threads) thread.join();
  }
  for (auto& slot : slots) std::free(slot.exchange(nullptr));
  std::printf("bad: %ld\n", bad.load());
  std::fflush(stdout);
  return baseline[5] == 1 ? 0 : 1;
}
