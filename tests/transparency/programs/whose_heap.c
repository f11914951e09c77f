// Says whether a big block comes from where the kernel puts mappings by itself.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int local;
  uintptr_t near_stack = (uintptr_t)&local >> 44, block = (uintptr_t)malloc(1 << 20) >> 44;
  puts(block == near_stack ? "libc" : "own");
  return 0;
}
