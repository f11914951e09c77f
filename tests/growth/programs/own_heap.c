// usage: own_heap leak|clean. All memory comes from segments that the program maps and cuts up itself, without libc: no hook
// sees a block of it, but the buffer of the one line that it prints.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kRounds = 8000, kBytes = 20000, kSegment = 64 << 20 };

static char *next, *end, *idle;
static volatile unsigned long sum;

static char* take(void) {
  if (idle) {
    char* piece = idle;
    memcpy(&idle, piece, sizeof idle);
    return piece;
  }
  if (!next || next + kBytes > end) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    next = (char*)syscall(SYS_mmap, 0, kSegment, PROT_READ | PROT_WRITE, flags, -1, 0);
    end = next + kSegment;
  }
  char* piece = next;
  next += kBytes;
  return piece;
}

static void give_back(char* piece) {
  memcpy(piece, &idle, sizeof idle);
  idle = piece;
}

static void work(void) {
  unsigned long x = 1;
  for (int i = 0; i < 60000; ++i) x = x * 6364136223846793005UL + (unsigned long)i;
  sum = x;
}

int main(int count, char** words) {
  int is_kept = count > 1 && strcmp(words[1], "leak") == 0;
  for (int i = 0; i < kRounds; ++i) {
    char* piece = take();
    memset(piece, i, kBytes);
    work();
    if (!is_kept) give_back(piece);
  }
  puts("done");
  return 0;
}
