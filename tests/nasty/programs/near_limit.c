// Grows one block until the limit says no; what it has must survive each refusal. usage: near_limit realloc|late|cgroup
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { kMiB = 1 << 20 };

static int limit_to(size_t mib) {
  struct rlimit limit = {(rlim_t)mib * kMiB, (rlim_t)mib * kMiB};
  return setrlimit(RLIMIT_AS, &limit);
}

static int is_whole(const unsigned char* p, size_t mib) {
  for (size_t i = 0; i < mib; ++i) {
    if (p[i * kMiB] != (unsigned char)i) return 0;
  }
  return 1;
}

// 5 MiB more each time; a heap may need the old and the new block at once, or not.
static int grow(void) {
  if (limit_to(700)) return 97;
  size_t has = 1;
  unsigned char* p = calloc(1, kMiB);
  errno = 0;
  for (unsigned char* more; (more = realloc(p, (has + 5) * kMiB)); has += 5) {
    p = more;
    for (size_t i = has; i < has + 5; ++i) p[i * kMiB] = (unsigned char)i;
  }
  printf("refused with errno %d, beyond half: %d, whole: %d\n", errno, has > 300, is_whole(p, has));
  p = realloc(p, kMiB);
  void* again = malloc((size_t)200 * kMiB);
  printf("shrunk: %d, then 200 MiB: %s\n", p != NULL && p[0] == 0, again ? "block" : "null");
  free(again);
  free(p);
  return 0;
}

// The limit comes when much is held and much lies freed in the heap.
static int late(void) {
  static void* held[200];
  for (int i = 0; i < 200; ++i) memset(held[i] = malloc(2 * kMiB), i, 2 * kMiB);
  for (int i = 0; i < 200; i += 2) free(held[i]);
  if (limit_to(300)) return 97;  // less than is used already
  errno = 0;
  void* big = malloc((size_t)400 * kMiB);
  printf("400 MiB: %s, errno %d\n", big ? "block" : "null", errno);
  int small = 0;
  for (int i = 0; i < 1000; ++i) {
    void* p = malloc(500);
    small += p != NULL;
    free(p);
  }
  int kept = 1;
  for (int i = 1; i < 200; i += 2) kept &= ((unsigned char*)held[i])[kMiB] == i;
  printf("small ones: %d, kept: %d\n", small, kept);
  return 0;
}

// Blocks that come and go below what the cgroup allows: freed memory must not add up to a kill.
static int in_cgroup(void) {
  for (int round = 0; round < 12; ++round) {
    void* blocks[8];
    size_t each = (size_t)(12 + round % 5) * kMiB;  // 96 to 128 MiB of 200 at once
    for (int i = 0; i < 8; ++i) memset(blocks[i] = malloc(each + (size_t)round * 4096), 1, each);
    for (int i = 0; i < 8; ++i) free(blocks[i]);
  }
  puts("lived");
  return 0;
}

int main(int argc, char** argv) {
  (void)argc;
  if (!strcmp(argv[1], "realloc")) return grow();
  if (!strcmp(argv[1], "late")) return late();
  if (!strcmp(argv[1], "cgroup")) return in_cgroup();
  return 98;
}
