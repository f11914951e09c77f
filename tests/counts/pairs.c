/* BYTES ROUNDS: so many blocks of that size, each made and freed before the next. */
#include <stdlib.h>

int main(int argc, char** argv) {
  size_t bytes = argc > 2 ? strtoul(argv[1], 0, 10) : 0;
  long rounds = argc > 2 ? atol(argv[2]) : 0;
  for (long i = 0; i < rounds; ++i) {
    char* volatile block = malloc(bytes);
    if (!block) return 1;
    block[0] = 1;
    free(block);
  }
  return 0;
}
