// What a program can see of itself: descriptors, threads, signal handlers. usage: descriptors MODE
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void allocate(void) {
  for (int i = 0; i < 500; ++i) free(malloc(10000 + (size_t)i));
}

static void list_descriptors(void) {
  DIR* folder = opendir("/proc/self/fd");
  int own = dirfd(folder);
  int open_ones[100] = {0};
  for (struct dirent* entry; (entry = readdir(folder));) {
    int fd = atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != own && fd < 100) open_ones[fd] = 1;
  }
  closedir(folder);
  printf("descriptors:");
  for (int i = 0; i < 100; ++i) {
    if (open_ones[i]) printf(" %d", i);
  }
  puts("");
}

static void list_status(void) {
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status)) {
    if (!strncmp(line, "Threads:", 8) || (!strncmp(line, "Sig", 3) && line[3] != 'Q') ||
        !strncmp(line, "Shd", 3))
      fputs(line, stdout);
  }
  fclose(status);
}

static int read_maps(void) {
  char line[4096];
  int lines = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) lines++;
  fclose(maps);
  puts(lines > 10 ? "maps read" : "no maps");
  return 0;
}

int main(int argc, char** argv) {
  (void)argc;
  allocate();
  if (!strcmp(argv[1], "list")) {
    list_descriptors();
    list_status();
    int next = open("/dev/null", O_RDONLY);
    printf("next descriptor: %d\n", next);
    return 0;
  }
  if (!strcmp(argv[1], "close-all")) {
    closefrom(3);
    allocate();
    int next = open("/dev/null", O_RDONLY);
    if (fork() == 0) {
      closefrom(0);
      allocate();
      _exit(0);
    }
    printf("next descriptor: %d\n", next);
    return 5;
  }
  if (!strcmp(argv[1], "maps")) return read_maps();
  if (!strcmp(argv[1], "copy")) {
    char buffer[4096];
    for (ssize_t n; (n = read(0, buffer, sizeof buffer)) > 0;) write(1, buffer, (size_t)n);
    return 0;
  }
  if (!strcmp(argv[1], "write-for-ever")) {
    for (;;) puts("a line that nobody may read"), allocate();
  }
  if (!strcmp(argv[1], "arguments")) {
    for (int i = 0; i < argc; ++i) puts(argv[i]);
    return 0;
  }
  return 98;
}
