// The same work again and again, as often as asked: a longer run has nothing more to record. Blocks are asked for along
// 256 different paths, so that the record is made of sites and stacks, and are used, as those of a real program.
#include <stdlib.h>
#include <string.h>

static void* kept[256];

static void* left(int path, int depth);

static void* right(int path, int depth) {
  if (depth == 0) return malloc(100000);
  void* p = path & 1 ? left(path >> 1, depth - 1) : right(path >> 1, depth - 1);
  return p;
}

static void* left(int path, int depth) {
  if (depth == 0) return malloc(110000);
  void* p = path & 1 ? left(path >> 1, depth - 1) : right(path >> 1, depth - 1);
  return p;
}

int main(int argc, char** argv) {
  (void)argc;
  for (int round = atoi(argv[1]); round > 0; --round) {
    for (int i = 0; i < 256; ++i) {
      free(kept[i]);
      kept[i] = right(i, 8);
      memset(kept[i], i, 100000);
    }
  }
  return 0;
}
