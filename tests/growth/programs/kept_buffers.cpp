// usage: kept_buffers leak|clean WAY. 400 rounds make a buffer of 20000 bytes each, and keep it or not. To be built without
// debug information too: then the function is all that can be told.
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr int kRounds = 400;
constexpr size_t kBytes = 20000;
std::vector<std::unique_ptr<char[]>> kept;
volatile unsigned long sum;

void work() {
  unsigned long x = 1;
  for (int i = 0; i < 20000; ++i) x = x * 6364136223846793005UL + static_cast<unsigned long>(i);
  sum = x;
}

}  // namespace

// Not static: a name for who has no lines.
__attribute__((noinline)) void put(bool is_kept) {
  std::unique_ptr<char[]> buffer(new char[kBytes]);  // made
  memset(buffer.get(), 1, kBytes);
  work();
  if (is_kept) kept.push_back(std::move(buffer));
}

int main(int, char** words) {
  bool is_kept = strcmp(words[1], "leak") == 0;
  for (int i = 0; i < kRounds; ++i) {
    if (strcmp(words[2], "loop") == 0)
      put(is_kept);
    else
      std::thread(put, is_kept).join();
  }
  printf("%zu\n", kept.size());
}
