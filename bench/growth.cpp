// What a pair of malloc and free costs as something else grows. Arguments: AXIS NUMBER ROUNDS.
//   threads  that many at once, each ROUNDS pairs of 2 KB
//   live     that many blocks of 2 KB stay, each pair replaces one of them
//   sites    pairs of 2 KB come from that many different stacks of the same depth
//   length   that many times ROUNDS pairs
// Prints nanoseconds of processor time per pair, and when it ended by the monotonic clock.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

namespace {

constexpr size_t kBytes = 2048;
constexpr int kDepth = 17;  // of the calls that make up a stack: 2 to the 17th of them

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

char* make() {
  char* p = static_cast<char*>(std::malloc(kBytes));
  p[0] = 1;
  return p;
}

void pairs(long rounds) {
  for (long i = 0; i < rounds; ++i) {
    char* volatile p = make();
    std::free(p);
  }
}

void in_threads(long threads, long rounds) {
  std::vector<std::thread> all;
  for (long i = 0; i < threads; ++i) all.emplace_back(pairs, rounds);
  for (std::thread& thread : all) thread.join();
}

void replace(std::vector<char*>& held, long rounds) {
  for (long i = 0; i < rounds; ++i) {
    char*& place = held[static_cast<size_t>(i) * 7919 % held.size()];
    std::free(place);
    place = make();
  }
}

void one(unsigned path, int depth);
__attribute__((noinline)) void zero(unsigned path, int depth) {
  if (depth == 0) {
    char* volatile p = make();
    std::free(p);
    return;
  }
  (path & 1 ? one : zero)(path >> 1, depth - 1);
  asm volatile("");  // no jump instead of the call
}
__attribute__((noinline)) void one(unsigned path, int depth) {
  if (depth == 0) {
    char* volatile p = make();
    std::free(p);
    return;
  }
  (path & 1 ? one : zero)(path >> 1, depth - 1);
  asm volatile("");
}

void from_sites(long sites, long rounds) {
  for (long i = 0; i < rounds; ++i) zero(static_cast<unsigned>(i % sites), kDepth);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const char* axis = argv[1];
  long number = std::atol(argv[2]), rounds = std::atol(argv[3]), all = rounds;
  std::vector<char*> held;
  if (std::strcmp(axis, "live") == 0) {
    for (long i = 0; i < number; ++i) held.push_back(make());
  }
  if (std::strcmp(axis, "sites") == 0)
    from_sites(number, number);  // each is met for the first time
  double began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  if (std::strcmp(axis, "threads") == 0) {
    in_threads(number, rounds);
    all = number * rounds;
  } else if (std::strcmp(axis, "live") == 0) {
    replace(held, rounds);
  } else if (std::strcmp(axis, "sites") == 0) {
    from_sites(number, rounds);
  } else {
    pairs(all = number * rounds);
  }
  double took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began;
  std::printf("%f %f\n", took * 1e9 / static_cast<double>(all), seconds_of(CLOCK_MONOTONIC));
}
