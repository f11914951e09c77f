// Mappings that end piece by piece, move, and are replaced.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kMiB = 1 << 20, kPage = 4096 };

static char* map(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void pieces(void) {
  char* p = map(16 * kMiB);
  memset(p, 9, 16 * kMiB);
  printf("hole: %d\n", munmap(p + 4 * kMiB, 4 * kMiB));
  printf("kept: %d %d\n", p[4 * kMiB - 1], p[8 * kMiB]);
  for (size_t at = 0; at < 4 * kMiB; at += kPage) munmap(p + at, kPage);
  printf("rest: %d\n", munmap(p + 8 * kMiB, 8 * kMiB));
  printf("again over nothing: %d\n", munmap(p, 16 * kMiB));
  errno = 0;
  char* q = map(kMiB);
  printf("unaligned: %d", munmap(q + 1, kPage));
  printf(" errno %d\n", errno);
  errno = 0;
  printf("nothing: %d", munmap(q, 0));
  printf(" errno %d\n", errno);
  munmap(q, kMiB);
}

static void moves(void) {
  char* p = map(2 * kMiB);
  strcpy(p, "moved");
  p = mremap(p, 2 * kMiB, 64 * kMiB, MREMAP_MAYMOVE);
  printf("grown: %s\n", p);
  p = mremap(p, 64 * kMiB, kMiB, 0);
  printf("shrunk: %s\n", p);
  char* target = map(kMiB);
  char* q = mremap(p, kMiB, kMiB, MREMAP_MAYMOVE | MREMAP_FIXED, target);
  printf("fixed: %d %s\n", q == target, q);
  errno = 0;
  printf("too big: %d", mremap(q, kMiB, (size_t)1 << 60, MREMAP_MAYMOVE) == MAP_FAILED);
  printf(" errno %d\n", errno);
  munmap(q, kMiB);
}

static void replaced(void) {
  char* p = map(4 * kMiB);
  char* q = mmap(p + kMiB, kMiB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  printf("fixed inside: %d %d\n", q == p + kMiB, q[0]);
  munmap(p, 4 * kMiB);
  errno = 0;
  void* none = mmap(NULL, (size_t)1 << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("refused: %d", none == MAP_FAILED);
  printf(" errno %d\n", errno);
}

static void of_a_file(void) {
  FILE* file = tmpfile();
  ftruncate(fileno(file), kMiB);
  char* p = mmap(NULL, kMiB, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  strcpy(p, "in the file");
  munmap(p, kMiB);
  char text[12] = "";
  pread(fileno(file), text, 12, 0);
  puts(text);
  fclose(file);
}

static void many(void) {
  static char* all[2000];
  int bad = 0;
  for (int i = 0; i < 2000; ++i) bad += (all[i] = map(kMiB / 8)) == MAP_FAILED;
  for (int i = 0; i < 2000; ++i) bad += munmap(all[(i * 7) % 2000], kMiB / 8) != 0;
  printf("bad: %d\n", bad);
}

int main(void) {
  pieces();
  moves();
  replaced();
  of_a_file();
  many();
  return 0;
}
