// Makes and ends blocks until it kills itself at the instant it is told; writes down after each change what is live.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kBlocks = 2000 };

static void* kill_later(void* microseconds) {
  usleep((useconds_t)(uintptr_t)microseconds);
  kill(getpid(), SIGKILL);
  return NULL;
}

int main(int count, char** words) {
  int fd = open(words[1], O_RDWR);
  volatile uint64_t* live =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);  // too small to be counted
  static void* blocks[kBlocks];
  static size_t sizes[kBlocks];
  pthread_t killer;
  pthread_create(&killer, NULL, kill_later, (void*)(uintptr_t)strtoul(words[2], NULL, 10));
  for (unsigned random = (unsigned)count;;) {
    random = random * 1664525 + 1013904223;
    unsigned at = (random >> 8) % kBlocks;
    *live -= sizes[at];
    free(blocks[at]);
    sizes[at] = 1024 + (random >> 4) % 200000;
    blocks[at] = malloc(sizes[at]);
    *live += sizes[at];
  }
}
