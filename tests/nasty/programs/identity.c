// Becomes somebody else, or goes into the background. usage: identity secure | nobody | daemon FILE
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kNobody = 65534 };

static int allocate(void) {
  int bad = 0;
  for (int i = 0; i < 2000; ++i) {
    char* p = malloc(1000 + (size_t)i * 211 % 300000);
    bad += !p;
    p[0] = 1;
    free(p);
  }
  return bad;
}

static int be_nobody(char** argv) {
  int bad = allocate();
  char* kept = malloc(5 << 20);
  memset(kept, 4, 5 << 20);
  if (setgroups(0, NULL) || setgid(kNobody) || setuid(kNobody)) return 97;
  bad += allocate();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(allocate() + (geteuid() != kNobody));
  int status = 1;
  waitpid(child, &status, 0);
  printf("user %d, bad %d, child %d, kept %d\n", (int)getuid(), bad, status, kept[1 << 20]);
  fflush(stdout);
  execl(argv[0], argv[0], "secure", (char*)NULL);
  return 99;
}

// By the book: two forks, a session of its own, no folder, no descriptors.
static int be_daemon(const char* file) {
  allocate();
  if (fork()) return 0;
  setsid();
  if (fork()) _exit(0);
  umask(0);
  if (chdir("/")) _exit(1);
  closefrom(0);
  open("/dev/null", O_RDWR);
  dup(0);
  dup(0);
  int bad = allocate();
  char* kept = malloc(30 << 20);
  memset(kept, 1, 30 << 20);
  usleep(200000);  // whoever started us has gone by now
  bad += allocate();
  char text[64];
  int n = snprintf(text, sizeof text, "daemon: bad %d, parent %s\n", bad,
                   getppid() == 1 ? "init" : "other");
  int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  (void)!write(fd, text, (size_t)n);
  close(fd);
  _exit(bad);
}

int main(int argc, char** argv) {
  if (!strcmp(argv[1], "secure")) {
    int bad = allocate();
    printf("secure: %d, effective user %d, bad %d\n", (int)getauxval(AT_SECURE), (int)geteuid(),
           bad);
    return 18;
  }
  if (!strcmp(argv[1], "nobody")) return be_nobody(argv);
  if (!strcmp(argv[1], "daemon") && argc > 2) return be_daemon(argv[2]);
  return 98;
}
