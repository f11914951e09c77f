// Keeps a block of each of its 300 steps.
#include <cstdio>
#include <cstdlib>
#include <vector>

int main() {
  std::vector<char*> kept;
  for (int i = 0; i < 300; ++i) {
    kept.push_back(static_cast<char*>(malloc(20000)));
    kept.back()[0] = 1;
  }
  printf("%zu\n", kept.size());
}
