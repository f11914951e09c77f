// Objects of threads that allocate while their thread ends, and while the program does.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

int g_bad;

struct Late {
  std::vector<std::unique_ptr<char[]>> held;
  ~Late() {
    for (size_t i = 0; i < 50; ++i) {
      held.push_back(std::make_unique<char[]>(900 + i * 3000));
      std::memset(held.back().get(), 7, 900 + i * 3000);
    }
    for (auto& block : held) g_bad += block[899] != 7;
    held.clear();
    std::string grown;
    for (int i = 0; i < 3000; ++i) grown += "words ";
    g_bad += grown.size() != 18000;
  }
};

thread_local Late first, second;
Late of_program;

void use() {
  first.held.push_back(std::make_unique<char[]>(5000));
  second.held.push_back(std::make_unique<char[]>(150000));
  first.held[0][899] = second.held[0][899] = 7;
}

struct Last {
  ~Last() { std::printf("bad: %d\n", g_bad); }
} last_words;

}  // namespace

int main() {
  for (int round = 0; round < 40; ++round) {
    std::thread a(use), b(use);
    a.join();
    b.join();
  }
  use();
  std::exit(19);
}
