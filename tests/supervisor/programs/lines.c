// Says `ready`, then answers each line until `end`. Stops when the terminal stops it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char line[100];
  free(malloc(100000));
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "end", 3)) return 6;
    printf("answer %s", line);
    fflush(stdout);
  }
  return 7;
}
