// Keeps vectors until the limit refuses one, and dies of std::bad_alloc.
#include <sys/resource.h>

#include <cstdio>
#include <vector>

static std::vector<std::vector<double>> kept;

static void keep_one() {
  kept.emplace_back(2 << 20);  // asks
}

int main() {
  rlimit limit{400 << 20, 400 << 20}, no_core{0, 0};
  setrlimit(RLIMIT_AS, &limit);
  setrlimit(RLIMIT_CORE, &no_core);
  for (;;) keep_one();
}
