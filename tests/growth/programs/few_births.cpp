// usage: few_births cache|leak|small. A loop that is only seen when it makes a block. cache: 160 pages at most, asked for ever more
// rarely. leak: each twelfth round keeps a page. small: each of 200000 rounds keeps 40 bytes.
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

namespace {

constexpr int kRounds = 6000;
std::map<int, std::vector<char>> pages;
std::vector<char*> kept;
volatile unsigned long sum;

void work() {
  unsigned long x = 1;
  for (int i = 0; i < 40000; ++i) x = x * 6364136223846793005UL + static_cast<unsigned long>(i);
  sum = x;
}

// Half of the numbers are in the first 20, a quarter in the next, and so on.
int number_of(unsigned random) {
  int level = 0;
  for (unsigned bits = random >> 16; (bits & 1) != 0 && level < 7; bits >>= 1) ++level;
  return level * 20 + static_cast<int>((random >> 24) % 20);
}

void look_up(int number) {
  auto& page = pages[number];
  if (page.empty()) page.assign(100000, 'p');  // cached
}

void keep(size_t bytes) {
  kept.push_back(new char[bytes]);  // made
  kept.back()[0] = 1;
}

}  // namespace

int main(int, char** words) {
  const bool is_small = strcmp(words[1], "small") == 0, is_leak = strcmp(words[1], "leak") == 0;
  kept.reserve(200000);
  unsigned random = 5;
  for (int i = 0; i < (is_small ? 200000 : kRounds); ++i) {
    random = random * 1664525U + 1013904223U;
    if (is_small) {
      keep(40);
      if (i % 100 == 0) work();
    } else if (is_leak) {
      if (i % 12 == 0) keep(100000);
      work();
    } else {
      look_up(number_of(random));
      work();
    }
  }
  printf("%zu %zu\n", pages.size(), kept.size());
}
