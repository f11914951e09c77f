// A library that takes its memory from the kernel: no allocator sees it.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char* touch(void* area, size_t bytes) {
  if (area == MAP_FAILED) return 0;
  return memset(area, 1, bytes);
}

char* map_by_libc(size_t bytes) {
  return touch(mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes);
}

char* map_by_kernel(size_t bytes) {
  return touch((void*)syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
               bytes);
}

// Reserved once, touched piece by piece.
char* map_by_pieces(size_t bytes) {
  static char* area;
  static size_t used;
  if (!area)
    area = (char*)syscall(SYS_mmap, 0, 256ul << 20, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char* piece = touch(area + used, bytes);
  used += bytes;
  return piece;
}

static void* map_in_thread(void* bytes) { return map_by_kernel((size_t)bytes); }

char* map_by_thread(size_t bytes) {
  pthread_t thread;
  void* area = 0;
  if (pthread_create(&thread, 0, map_in_thread, (void*)bytes)) return 0;
  pthread_join(thread, &area);
  return area;
}

void unmap(char* area, size_t bytes) { syscall(SYS_munmap, area, bytes); }
