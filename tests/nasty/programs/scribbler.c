// A wild write that hits Tenure's own ledger, and the end right after it. usage: scribbler magic|tables|ones|noise BLOCKS
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kKiB = 1024 };

// NULL: there is no ledger here.
static unsigned char* find_ledger(void) {
  static char line[4096];
  unsigned char* found = NULL;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (!found && fgets(line, sizeof line, maps)) {
    if (strstr(line, "tenure-ledger")) found = (unsigned char*)strtoul(line, NULL, 16);
  }
  fclose(maps);
  return found;
}

static void scribble(unsigned char* ledger, const char* mode) {
  unsigned random = 12345;
  if (!strcmp(mode, "magic")) memset(ledger, 'x', 8);
  if (!strcmp(mode, "tables")) memset(ledger + 24, 0x7f, 200);
  if (!strcmp(mode, "ones")) memset(ledger + 8, 0xff, 300 * kKiB);
  for (int i = 24; i < 500 * kKiB && !strcmp(mode, "noise"); ++i) {
    random = random * 1103515245 + 12345;
    ledger[i] = (unsigned char)(random >> 16);
  }
}

int main(int argc, char** argv) {
  (void)argc;
  for (int i = 0; i < atoi(argv[2]); ++i) memset(malloc(50000), 1, 50000);
  puts("scribbles");
  fflush(stdout);
  unsigned char* ledger = find_ledger();
  if (ledger) scribble(ledger, argv[1]);
  _exit(3);
}
