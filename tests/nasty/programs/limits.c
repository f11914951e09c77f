// Memory until the limit says no, and after it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { kMiB = 1 << 20 };

int main(void) {
#ifndef INHERITED
  struct rlimit limit = {(rlim_t)600 * kMiB, (rlim_t)600 * kMiB};
  if (setrlimit(RLIMIT_AS, &limit)) return 97;
  struct rlimit now;
  getrlimit(RLIMIT_AS, &now);
  printf("limit: %d MiB\n", (int)(now.rlim_cur / kMiB));
#endif
  static void* blocks[1000];
  int count = 0;
  errno = 0;
  while (count < 1000 && (blocks[count] = malloc(40 * kMiB))) ++count;
  printf("blocks of 40 MiB: %d, errno %d\n", count, errno);
  for (int i = 0; i < count; ++i) free(blocks[i]);
  void* again = malloc(200 * kMiB);
  printf("after freeing: %s\n", again ? "block" : "null");
  free(again);
  return 0;
}
