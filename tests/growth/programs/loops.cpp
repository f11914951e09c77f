// Loops of every shape. `//= N`: how often the loop on that line runs.
#include <cstdlib>
#include <thread>
#include <vector>

static std::vector<void*> keep;

// Keeps the compiler from unrolling a loop whose number of rounds it knows.
int times(int n) {
  volatile int rounds = n;
  return rounds;
}

__attribute__((noinline)) void* block(size_t bytes = 4096) { return std::malloc(bytes); }

__attribute__((noinline)) void step() {
  std::free(block());
  keep.push_back(block());
}

__attribute__((noinline)) void plain() {
  for (int i = times(40); i > 0; --i) {  //= 40
    keep.push_back(block());
  }
}

__attribute__((noinline)) void nested() {
  for (int i = times(12); i > 0; --i) {  //= 12
    std::free(block());
    for (int k = times(5); k > 0; --k) {  //= 60
      step();
    }
  }
}

__attribute__((noinline)) void counting() {
  int n = times(41);
  while (n-- > 0) {  //= 41
    keep.push_back(block());
  }
}

__attribute__((noinline)) void one_after_the_other() {
  for (int i = times(42); i > 0; --i) {  //= 42
    std::free(block());
  }
  for (int i = times(43); i > 0; --i) {  //= 43
    std::free(block());
  }
}

__attribute__((noinline)) void over_a_range() {
  std::vector<int> items(44);
  for (int& item : items) {  //= 44
    item = 1;
    keep.push_back(block());
  }
}

__attribute__((noinline)) void two_blocks() {
  for (int i = times(45); i > 0; --i) {  //= 45
    std::free(block());
    std::free(block(8192));
  }
}

__attribute__((noinline)) void in_a_thread() {
  for (int i = times(46); i > 0; --i) {  //= 46
    keep.push_back(block());
  }
}

int main() {
  keep.reserve(100000);
  std::free(block(1 << 20));
  plain();
  nested();
  counting();
  one_after_the_other();
  over_a_range();
  two_blocks();
  std::thread(in_a_thread).join();
  for (int i = times(47); i > 0; --i) {  //= 47
    keep.push_back(block());
  }
}
