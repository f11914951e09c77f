// usage: freed_twice BYTES. A block is freed, and freed again: glibc stops that.
#include <stdlib.h>
#include <string.h>

static void release(char* block) {
  free(block);  // used
}

int main(int count, char** words) {
  char* volatile block = malloc(count > 1 ? (size_t)atol(words[1]) : 3000);
  memset(block, 1, 100);
  release(block);
  release(block);
  return 0;
}
