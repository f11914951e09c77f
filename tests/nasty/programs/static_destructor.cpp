// A static destructor that fills a vector in a loop and clears it, after main() has ended.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace {

struct Late {
  std::vector<std::unique_ptr<char[]>> held;
  ~Late() {
    for (size_t i = 0; i < 50; ++i) {
      held.push_back(std::make_unique<char[]>(900 + i * 3000));
      std::memset(held.back().get(), 7, 900);
    }
    std::printf("held: %zu\n", held.size());
    held.clear();
  }
} of_program;

}  // namespace

int main() {
  size_t sum = 0;
  for (size_t round = 0; round < 200; ++round) sum += std::vector<char>(20000 + round).size();
  return sum == 0;
}
