// Protects a block of its own and lets go of that when it is written, as write barriers do.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static char* page;

static void on_write(int signal) {
  (void)signal;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

int main(void) {
  if (posix_memalign((void**)&page, 4096, 4096)) return 1;
  signal(SIGSEGV, on_write);
  mprotect(page, 4096, PROT_READ);
  page[5] = 7;
  printf("%d\n", page[5]);
  return 0;
}
