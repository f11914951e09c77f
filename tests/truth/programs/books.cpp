// Makes and ends blocks at random and keeps its own books: argument 1 threads. Prints them as JSON at the end.
// `//= name`: the line that makes the blocks booked under that name. Blocks are of at least 64 KiB, which are always
// counted one by one; the small ones at the end are sampled. Nothing else here takes memory before the peak is over.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

enum Maker { plain, zeroed, grown, made_by_new, small, makers };
const char* const kNames[makers] = {"plain", "zeroed", "grown", "made_by_new", "small"};
constexpr uint64_t kLeast = 64 << 10, kMost = 192 << 10;

struct Books {
  std::atomic<uint64_t> live, live_count, total, total_count, at_peak, at_peak_count;
};
static Books books[makers];
static std::atomic<uint64_t> live, peak;

__attribute__((noinline)) char* make_plain(uint64_t bytes) {
  char* p = static_cast<char*>(std::malloc(bytes));  //= plain
  p[0] = 1;
  return p;
}
__attribute__((noinline)) char* make_zeroed(uint64_t bytes) {
  char* p = static_cast<char*>(std::calloc(bytes, 1));  //= zeroed
  p[0] = 1;
  return p;
}
__attribute__((noinline)) char* grow(char* old, uint64_t bytes) {
  char* p = static_cast<char*>(std::realloc(old, bytes));  //= grown
  p[0] = 1;
  return p;
}
__attribute__((noinline)) char* make_by_new(uint64_t bytes) {
  char* p = new char[bytes];  //= made_by_new
  p[0] = 1;
  return p;
}
__attribute__((noinline)) char* make_small(uint64_t bytes) {
  char* p = static_cast<char*>(std::malloc(bytes));  //= small
  p[0] = 1;
  return p;
}

static void book_end(Maker maker, uint64_t bytes) {
  books[maker].live -= bytes;
  --books[maker].live_count;
  live -= bytes;
}

// In a single thread what each maker held at the peak is known as well.
static void book_birth(Maker maker, uint64_t bytes) {
  Books& b = books[maker];
  b.live += bytes;
  b.total += bytes;
  ++b.live_count;
  ++b.total_count;
  uint64_t now = live += bytes;
  for (uint64_t before = peak; now > before;) {
    if (!peak.compare_exchange_weak(before, now)) continue;
    for (Books& each : books) {
      each.at_peak = each.live.load();
      each.at_peak_count = each.live_count.load();
    }
    break;
  }
}

struct Block {
  char* p;
  uint64_t bytes;
  Maker maker;
};

static Block make(Maker maker, uint64_t bytes) {
  char* p = maker == plain    ? make_plain(bytes)
            : maker == zeroed ? make_zeroed(bytes)
                              : make_by_new(bytes);
  book_birth(maker, bytes);
  return {p, bytes, maker};
}

static void end(const Block& block) {
  book_end(block.maker, block.bytes);
  if (block.maker == made_by_new)
    delete[] block.p;
  else
    std::free(block.p);
}

static void resize(Block& block, uint64_t bytes) {
  book_end(block.maker, block.bytes);
  block = {grow(block.p, bytes), bytes, grown};
  book_birth(grown, bytes);
}

// Waves of births and ends, each higher than the last.
static void live_at_random(unsigned seed, Block* blocks, int capacity) {
  std::mt19937 random(seed);
  int count = 0;
  for (int i = 0; i < 12000; ++i) {
    bool rises = i / 1000 % 3 != 1;
    uint64_t bytes = kLeast + random() % (kMost - kLeast);
    bool is_birth = count == 0 || (count < capacity && random() % 10 < (rises ? 6 : 4));
    int at = count ? static_cast<int>(random() % static_cast<unsigned>(count)) : 0;
    if (is_birth) {
      blocks[count++] =
          make(static_cast<Maker>(random() % 4 == 0 ? made_by_new : random() % 2), bytes);
    } else if (random() % 4 == 0 && blocks[at].maker != made_by_new) {
      resize(blocks[at], bytes);
    } else {
      end(blocks[at]);
      blocks[at] = blocks[--count];
    }
  }
  for (; count > 100; --count) end(blocks[count - 1]);
}

static void live_small() {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bytes = 16 + random() % 900;
    char* p = make_small(bytes);
    books[small].total += bytes;
    ++books[small].total_count;
    if (i % 4 == 0) {
      books[small].live += bytes;
      ++books[small].live_count;
    } else {
      std::free(p);
    }
  }
}

int main(int, char** argv) {
  constexpr int kThreads = 4, kBlocks = 8000;
  static Block blocks[kThreads][kBlocks];
  static std::thread threads[kThreads];
  int count = std::atoi(argv[1]);
  if (count == 1) live_at_random(1, blocks[0], kBlocks);
  for (int t = 0; t < count && count > 1; ++t)
    threads[t] = std::thread(live_at_random, t + 1, blocks[t], kBlocks);
  for (std::thread& thread : threads)
    if (thread.joinable()) thread.join();
  live_small();
  std::printf("{\"peak\": %lu", static_cast<unsigned long>(peak.load()));
  for (int m = 0; m < makers; ++m) {
    const Books& b = books[m];
    std::printf(
        ", \"%s\": {\"live_bytes\": %lu, \"live_count\": %lu, \"total_bytes\": %lu, "
        "\"total_count\": %lu, "
        "\"at_peak_bytes\": %lu, \"at_peak_count\": %lu}",
        kNames[m], b.live.load(), b.live_count.load(), b.total.load(), b.total_count.load(),
        b.at_peak.load(), b.at_peak_count.load());
  }
  std::puts("}");
}
