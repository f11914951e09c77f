// A program that brings its own malloc, as one with jemalloc or tcmalloc linked in. usage: own_malloc [next]
// With `next` it asks libc's behind it, by RTLD_NEXT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char arena[256 << 20];
static size_t used, calls;
static void* (*next_malloc)(size_t);
static void (*next_free)(void*);

void* malloc(size_t n) {
  ++calls;
  if (next_malloc) return next_malloc(n);
  size_t at = (used + 31) / 16 * 16;
  if (n > sizeof arena - at - 16) return NULL;
  *(size_t*)(arena + at) = n;
  used = at + 16 + n;
  return arena + at + 16;
}

void free(void* p) {
  if ((char*)p >= arena && (char*)p < arena + sizeof arena) return;
  if (next_free) next_free(p);
}

void* calloc(size_t n, size_t size) {
  void* p = malloc(n * size);
  if (p) memset(p, 0, n * size);
  return p;
}

void* realloc(void* p, size_t n) {
  void* fresh = malloc(n);
  if (p && fresh) memmove(fresh, p, n);
  return fresh;
}

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "next")) {
    next_free = (void (*)(void*))dlsym(RTLD_NEXT, "free");
    next_malloc = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  }
  int bad = 0;
  for (int i = 0; i < 1000; ++i) {
    char* p = malloc(20000);
    memset(p, i, 20000);
    bad += p[19999] != (char)i;
    free(p);
  }
  char text[64];
  snprintf(text, sizeof text, "own calls: %d, bad: %d", calls >= 1000, bad);
  puts(text);
  return bad;
}
