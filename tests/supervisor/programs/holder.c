// Holds 64 MiB in 64 blocks, says so, and waits for a line on its standard input; then holds as much again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hold(void) {
  for (int i = 0; i < 64; ++i) memset(malloc(1 << 20), 1, 1 << 20);
}

int main(void) {
  char line[100];
  hold();
  puts("ready");
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin)) return 3;
  hold();
  puts("done");
  return 4;
}
