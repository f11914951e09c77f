// Adds a block every tenth round until it is told to end, and then tells a sum that nothing may change.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void** kept;
static volatile sig_atomic_t is_over;
static void end(int signal) { is_over = signal; }

static char* work(size_t bytes) {
  char* p = malloc(bytes);
  memset(p, 1, bytes);
  return p;
}

int main(void) {
  unsigned long wrong = 0;
  kept = calloc(1 << 20, sizeof *kept);
  signal(SIGTERM, end);
  for (size_t i = 0; !is_over && i < (10u << 20); ++i) {
    char* p = work(50000);
    wrong += p[49999] != 1;
    free(p);
    if (i % 10 != 0) continue;
    kept[i / 10] = work(8192);
    usleep(1000);
  }
  printf("wrong: %lu\n", wrong);
  return wrong != 0;
}
