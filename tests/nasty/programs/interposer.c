// An interposer as people write them: counts calls and hands them on to the next malloc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static size_t mallocs, frees;

void* malloc(size_t n) {
  static void* (*next)(size_t);
  if (!next) next = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  if (n >= 77000 && n < 78000) ++mallocs;
  return next(n);
}

void free(void* p) {
  static void (*next)(void*);
  if (!next) next = (void (*)(void*))dlsym(RTLD_NEXT, "free");
  if (p) ++frees;
  next(p);
}

size_t interposed_mallocs(void) { return mallocs; }
