// Prints what the malloc family answers, above all when it refuses. Equal bytes with and without Tenure.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t kHuge = SIZE_MAX / 4;

static void say(const char* what, int is_null) {
  printf("%s: %s errno=%d\n", what, is_null ? "null" : "block", errno);
  errno = 0;
}

static void refusals(void) {
  void* p = malloc(kHuge);
  say("malloc huge", !p);
  p = calloc(kHuge, 8);
  say("calloc overflow", !p);
  p = calloc(1, kHuge);
  say("calloc huge", !p);
  char* old = malloc(5000);
  memset(old, 7, 5000);
  p = realloc(old, kHuge);
  say("realloc huge", !p);
  printf("old kept: %d %d\n", old[0], old[4999]);
  p = reallocarray(old, kHuge, 8);
  say("reallocarray overflow", !p);
  p = reallocarray(NULL, 3, kHuge);
  say("reallocarray null overflow", !p);
  free(old);
  void* out = (void*)&kHuge;
  int rc = posix_memalign(&out, 64, kHuge);
  printf("posix_memalign huge: rc=%d out_kept=%d\n", rc, out == (void*)&kHuge);
  rc = posix_memalign(&out, 3, 100);
  printf("posix_memalign bad alignment: rc=%d out_kept=%d\n", rc, out == (void*)&kHuge);
  rc = posix_memalign(&out, 24, 10000);
  printf("posix_memalign no power: rc=%d out_kept=%d\n", rc, out == (void*)&kHuge);
  errno = 0;
  p = aligned_alloc(64, kHuge);
  say("aligned_alloc huge", !p);
  p = memalign(4096, kHuge);
  say("memalign huge", !p);
  p = valloc(kHuge);
  say("valloc huge", !p);
}

static void nothing(void) {
  for (int i = 0; i < 3000; ++i) {
    free(malloc(0));
    free(calloc(0, 8));
    free(realloc(NULL, 0));
    free(aligned_alloc(16, 0));
    void* p = malloc(i);  // realloc to zero frees, whatever the size was
    if (realloc(p, 0)) printf("realloc to zero gave a block, size %d\n", i);
    p = malloc(8000);
    if (realloc(p, 0)) puts("realloc of a big block to zero gave a block");
  }
  free(NULL);
  say("zero sizes", 1);
}

static void alignments(void) {
  size_t sizes[] = {1, 100, 1000, 5000, 200000};
  int bad = 0;
  for (size_t alignment = 8; alignment <= 65536; alignment *= 2) {
    for (int s = 0; s < 5; ++s) {
      for (int round = 0; round < 20; ++round) {
        void* p[4] = {memalign(alignment, sizes[s]), aligned_alloc(alignment, sizes[s]), NULL,
                      NULL};
        if (posix_memalign(&p[2], alignment, sizes[s])) bad++;
        p[3] = valloc(sizes[s]);
        for (int i = 0; i < 3; ++i) bad += (uintptr_t)p[i] % alignment != 0;
        bad += (uintptr_t)p[3] % 4096 != 0;
        for (int i = 0; i < 4; ++i) memset(p[i], 1, sizes[s]), free(p[i]);
      }
    }
  }
  void* page = pvalloc(10);
  printf("bad alignments: %d, pvalloc usable: %d\n", bad, malloc_usable_size(page) >= 4096);
  free(page);
}

// Every size many times, so that each is a sample of Tenure's at some time. glibc itself gives a grain more now and then.
static void usable_sizes(void) {
  int odd = 0;
  for (int round = 0; round < 200; ++round) {
    void* kept[64];
    for (int i = 0; i < 64; ++i) kept[i] = malloc((size_t)i * 15);
    for (int i = 0; i < 64; ++i) {
      size_t chunk = ((size_t)i * 15 + 8 + 15) / 16 * 16, least = (chunk < 32 ? 32 : chunk) - 8;
      size_t usable = malloc_usable_size(kept[i]);
      odd += usable < least || usable > least + 16;
    }
    for (int i = 63; i >= 0; --i) free(kept[i]);
  }
  printf("odd usable sizes: %d, of null: %zu\n", odd, malloc_usable_size(NULL));
}

static void contents(void) {
  int bad = 0;
  for (int i = 1; i < 4000; i += 7) {
    unsigned char* p = calloc(i, 3);
    for (int k = 0; k < i * 3; ++k) bad += p[k] != 0;
    memset(p, 0x5a, (size_t)i * 3);
    p = realloc(p, (size_t)i * 9);
    for (int k = 0; k < i * 3; ++k) bad += p[k] != 0x5a;
    p = reallocarray(p, i, 2);
    for (int k = 0; k < i * 2; ++k) bad += p[k] != 0x5a;
    free(p);
  }
  printf("bad bytes: %d\n", bad);
}

static void keeps_errno(void) {
  int changed = 0;
  void* kept[512] = {0};
  for (int i = 0; i < 200000; ++i) {
    int at = i % 512;
    errno = 1234;
    free(kept[at]);
    changed += errno != 1234;
    kept[at] = malloc((size_t)(i * 37 % 3000));
    changed += errno != 1234;
    kept[at] = realloc(kept[at], (size_t)(i * 53 % 6000 + 1));
    changed += errno != 1234;
  }
  for (int i = 0; i < 512; ++i) free(kept[i]);
  printf("errno changed: %d times\n", changed);
}

int main(void) {
  errno = 0;
  refusals();
  nothing();
  alignments();
  usable_sizes();
  contents();
  keeps_errno();
  return 0;
}
