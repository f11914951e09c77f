// A shared library that allocates in its constructor, in its calls and in its destructor.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* kept;

__attribute__((constructor)) static void begin(void) {
  kept = malloc(50000);
  memset(kept, 4, 50000);
  free(malloc(3000));
}

__attribute__((destructor)) static void end(void) {
  char* last = malloc(4000);
  memcpy(last, kept, 4000);
  free(kept);
  if (last[3999] != 4) puts("the plugin lost its bytes");
  free(last);
}

int which(void) { return WHICH; }

// Defined by the program as well: RTLD_DEEPBIND decides which one is called.
int shared_name(void) { return WHICH; }
int call_shared_name(void) { return shared_name(); }

void* make(size_t bytes) {
  void* p = malloc(bytes);
  memset(p, 6, bytes);
  return p;
}
void end_block(void* p) { free(p); }
