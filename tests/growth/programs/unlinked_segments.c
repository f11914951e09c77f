// usage: unlinked_segments leak|clean. 300 shared-memory segments whose names are gone before they have a size; each goes
// with its mapping, or stays mapped.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kRounds = 300, kBytes = 100000 };

static void publish(int round, int is_kept) {
  char name[64];
  snprintf(name, sizeof name, "/tenure-test-%d-%d", getpid(), round);
  int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
  shm_unlink(name);
  if (ftruncate(fd, kBytes)) return;
  char* words = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);  // made
  close(fd);
  memset(words, round, kBytes);
  if (!is_kept) munmap(words, kBytes);
}

int main(int count, char** words) {
  for (int i = 0; i < kRounds; ++i) publish(i, count > 1 && strcmp(words[1], "leak") == 0);
  puts("done");
  return 0;
}
