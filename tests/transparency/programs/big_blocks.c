// What the malloc family answers for big blocks: contents, alignment, usable size, errno, zero pages, growth, refusals.
// Prints counts of mistakes only, so that the output is the same on every heap that keeps the contract.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kKiB = 1 << 10, kMiB = 1 << 20 };

static unsigned next_random(unsigned* state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  return *state ^= *state << 5;
}

static int is_filled(const unsigned char* p, size_t n, unsigned char with) {
  for (size_t i = 0; i < n; i += 509) {
    if (p[i] != with) return 0;
  }
  return n == 0 || p[n - 1] == with;
}

// Blocks of all sizes around the border, resized at random; each keeps the byte it was filled with.
static void lives(void) {
  enum { kSlots = 40 };
  unsigned char* blocks[kSlots] = {0};
  size_t sizes[kSlots] = {0};
  unsigned random = 7;
  int lost = 0, unaligned = 0, small = 0, dirty = 0;
  for (int i = 0; i < 6000; ++i) {
    int at = (int)(next_random(&random) % kSlots);
    size_t n = next_random(&random) % 8 ? next_random(&random) % (300 * kKiB)
                                        : next_random(&random) % (6 * kMiB);
    unsigned char with = (unsigned char)(at + 1);
    lost += blocks[at] && !is_filled(blocks[at], sizes[at], with);
    switch (next_random(&random) % 4) {
      case 0:
        free(blocks[at]);
        blocks[at] = malloc(n);
        break;
      case 1:
        free(blocks[at]);
        blocks[at] = calloc(n / 8 + 1, 8);
        dirty += !is_filled(blocks[at], n, 0);
        break;
      case 2: {
        size_t kept = sizes[at] < n ? sizes[at] : n;
        unsigned char* now = realloc(blocks[at], n ? n : 1);
        lost += blocks[at] && !is_filled(now, kept, with);
        blocks[at] = now;
        break;
      }
      default: {
        size_t alignment = (size_t)16 << next_random(&random) % 10;
        free(blocks[at]);
        if (posix_memalign((void**)&blocks[at], alignment, n)) blocks[at] = NULL;
        unaligned += (uintptr_t)blocks[at] % alignment != 0;
      }
    }
    sizes[at] = n;
    unaligned += (uintptr_t)blocks[at] % 16 != 0;
    small += malloc_usable_size(blocks[at]) < n;
    memset(blocks[at], with, malloc_usable_size(blocks[at]));
  }
  for (int i = 0; i < kSlots; ++i) free(blocks[i]);
  printf("lost %d, unaligned %d, too small %d, not zero %d\n", lost, unaligned, small, dirty);
}

static size_t resident_kib(void) {
  size_t pages = 0, total = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (fscanf(f, "%zu %zu", &total, &pages) != 2) pages = 0;
  fclose(f);
  return pages * 4;
}

static void lazy_zeros(void) {
  size_t before = resident_kib();
  char* p = calloc((size_t)1 << 30, 2);
  p[1 << 29] = 1;
  size_t more = resident_kib() - before;
  printf("2 GiB of zeros: %s, %s\n", p ? "block" : "null", more < 8 * kKiB ? "lazy" : "touched");
  free(p);
}

static void refusals(void) {
  errno = 0;
  void* p = malloc((size_t)1 << 43);
  printf("8 TiB: %s errno %d\n", p ? "block" : "null", errno);
  char* old = malloc(kMiB);
  memset(old, 3, kMiB);
  errno = 0;
  p = realloc(old, (size_t)1 << 43);
  printf("grown to 8 TiB: %s errno %d, old kept %d\n", p ? "block" : "null", errno, old[kMiB - 1]);
  free(old);
  p = (void*)&p;
  int rc = posix_memalign(&p, 64, (size_t)1 << 43);
  printf("aligned 8 TiB: rc %d, out kept %d\n", rc, p == (void*)&p);
}

static void keeps_errno(void) {
  int changed = 0;
  for (int i = 0; i < 2000; ++i) {
    errno = 1234;
    char* p = malloc((size_t)(128 + i % 900) * kKiB);
    p = realloc(p, (size_t)(200 + i % 500) * kKiB);
    free(p);
    changed += errno != 1234;
  }
  printf("errno changed %d times\n", changed);
}

static void gives_back(void) {
  enum { kBlocks = 64 };
  void* blocks[kBlocks];
  for (int i = 0; i < kBlocks; ++i) memset(blocks[i] = malloc(4 * kMiB), 1, 4 * kMiB);
  size_t full = resident_kib();
  for (int i = 0; i < kBlocks; ++i) free(blocks[i]);
  malloc_trim(0);
  printf("after malloc_trim: %s\n", resident_kib() + 200 * kKiB < full ? "given back" : "kept");
}

static void in_child(void) {
  unsigned char* p = malloc(4 * kMiB);
  memset(p, 9, 4 * kMiB);
  free(malloc(8 * kMiB));
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    unsigned char* q = malloc(8 * kMiB);
    memset(q, 1, 8 * kMiB);
    int kept = is_filled(p, 4 * kMiB, 9);
    p = realloc(p, 9 * kMiB);
    kept = kept && is_filled(p, 4 * kMiB, 9);
    free(p);
    free(q);
    _exit(kept ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child: %d, parent's block kept %d\n", status, is_filled(p, 4 * kMiB, 9));
  free(p);
}

static void* storm(void* argument) {
  unsigned random = (unsigned)(uintptr_t)argument;
  uintptr_t lost = 0;
  for (int i = 0; i < 3000; ++i) {
    size_t n = 100 * kKiB + next_random(&random) % (200 * kKiB);
    unsigned char* p = malloc(n);
    p[0] = p[n - 1] = (unsigned char)i;
    if (i % 3 == 0) p = realloc(p, n += 64 * kKiB);
    lost += p[0] != (unsigned char)i;
    free(p);
  }
  return (void*)lost;
}

// Forks while other threads are inside the heap: the child must be able to use it.
static void fork_in_storm(void) {
  pthread_t threads[3];
  uintptr_t lost = 0, failed = 0;
  for (uintptr_t i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, storm, (void*)(i + 1));
  for (int i = 0; i < 20; ++i) {
    pid_t child = fork();
    if (child == 0) {
      for (int k = 0; k < 50; ++k) {
        char* p = malloc((size_t)(130 + k) * kKiB);
        p[0] = 1;
        free(p);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  for (int i = 0; i < 3; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    lost += (uintptr_t)result;
  }
  printf("storm: lost %d, children that failed %d\n", (int)lost, (int)failed);
}

int main(void) {
  lives();
  lazy_zeros();
  refusals();
  keeps_errno();
  gives_back();
  in_child();
  fork_in_storm();
  return 0;
}
