// Brings a heap of its own, as a program does that links jemalloc.
#include <stdio.h>
#include <unistd.h>

static char room[1 << 20];
static size_t used;
void* malloc(size_t n) { return room + (used += (n + 31) / 16 * 16) - n / 16 * 16 - 16; }
void free(void* p) { (void)p; }

int main(void) {
  (void)!write(1, "ready\n", 6);
  pause();
}
