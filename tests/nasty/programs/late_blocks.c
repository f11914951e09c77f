// Makes 100 MiB at exit: after the interpreter that loaded it has ended, as destructors of C++ objects do.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void make_blocks(void) {
  usleep(300000);  // the copy for the last snapshot is done by then
  for (int i = 0; i < 100; ++i) {
    char* block = malloc(1 << 20);
    memset(block, i, 1 << 20);
  }
}

__attribute__((constructor)) static void begin(void) { atexit(&make_blocks); }
