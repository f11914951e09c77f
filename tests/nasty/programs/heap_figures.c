// Asks libc how much of the heap is in use, with 64 blocks of 1 MiB and without them; and frees two as C23 does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long mib_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (info.uordblks + info.hblkhd) >> 20;
}

static long mib_mapped_by_report(void) {
  char* report = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&report, &size);
  if (malloc_info(0, out) != 0) return -1;
  fclose(out);
  char* last = NULL;
  for (char* at = report; (at = strstr(at, "<total type=\"mmap\"")); ++at) last = at;
  long mib = last ? strtol(strstr(last, "size=\"") + 6, NULL, 10) >> 20 : -1;
  int is_whole = strstr(report, "</malloc>") != NULL;
  free(report);
  return is_whole ? mib : -2;
}

int main(void) {
  char* blocks[64];
  long before = mib_in_use();
  for (int i = 0; i < 64; ++i) memset(blocks[i] = malloc(1 << 20), 1, 1 << 20);
  long held = mib_in_use(), reported = mib_mapped_by_report();
  int is_big_enough = malloc_usable_size(blocks[0]) >= 1 << 20;
  void (*free_sized)(void*, size_t) = dlsym(RTLD_DEFAULT, "free_sized");
  void (*free_aligned_sized)(void*, size_t, size_t) = dlsym(RTLD_DEFAULT, "free_aligned_sized");
  if (free_sized)
    free_sized(blocks[0], 1 << 20);
  else
    free(blocks[0]);
  if (free_aligned_sized)
    free_aligned_sized(blocks[1], 16, 1 << 20);
  else
    free(blocks[1]);
  for (int i = 2; i < 64; ++i) free(blocks[i]);
  printf("held %d, reported %d, after %d, usable %d\n", held - before >= 64 && held - before <= 66,
         reported >= 64 && reported <= 66, mib_in_use() - before <= 1, is_big_enough);
  return 0;
}
