// Makes and ends blocks until it is killed. Writes down after each change what is live, one figure for each thread.
// usage: killed BOOKS THREADS; with 0 threads a child of the first process works, and another one is made when it ends.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kBlocks = 2000;
constexpr size_t kApart = 8;  // figures, so that threads do not share a line of the cache

void work(volatile uint64_t* live, unsigned random, uint64_t rounds) {
  std::vector<void*> blocks(kBlocks);
  std::vector<size_t> sizes(kBlocks);
  for (uint64_t i = 0; i < rounds; ++i) {
    random = random * 1664525 + 1013904223;
    const unsigned at = (random >> 8) % kBlocks;
    *live = *live - sizes[at];
    const size_t bytes = 1024 + (random >> 4) % 200000;
    if (random >> 30 == 3) {
      blocks[at] = std::realloc(blocks[at], bytes);
    } else {
      std::free(blocks[at]);
      blocks[at] = std::malloc(bytes);
    }
    sizes[at] = bytes;
    *live = *live + bytes;
  }
  for (unsigned at = 0; at < kBlocks; ++at) {
    *live = *live - sizes[at];
    std::free(blocks[at]);
  }
}

// The books are of this process: what its children hold is in ledgers of their own.
void make_children() {
  for (unsigned i = 1;; ++i) {
    uint64_t own = 0;
    if (fork() == 0) {
      work(&own, i, 20000);
      _exit(0);
    }
    wait(nullptr);
  }
}

}  // namespace

int main(int, char** words) {
  const int fd = open(words[1], O_RDWR);
  auto* live = static_cast<uint64_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));  // too small to be counted
  const int threads = std::atoi(words[2]);
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back(work, live + kApart * static_cast<size_t>(i), 7919u * i, UINT64_MAX);
  if (threads == 0) make_children();
  work(live, 1, UINT64_MAX);
}
