// Every way to make a process or to become another program. usage: processes MODE [ARGS]
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static char* self;

// Enough to be worth a ledger, and all of it given back.
static int allocate_much(void) {
  int bad = 0;
  for (int i = 0; i < 400; ++i) {
    char* p = malloc(20000 + i);
    bad += !p;
    memset(p, i, 20000);
    free(p);
  }
  return bad;
}

static int status_of(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int fork_exit(void) {
  for (int code = 0; code < 5; ++code) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) exit(code);
    printf("child ended with %d\n", status_of(pid));
  }
  return 0;
}

static int fork_malloc(void) {
  char* mine = malloc(100000);
  memset(mine, 3, 100000);
  for (int i = 0; i < 8; ++i) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
      int bad = allocate_much() + (mine[99999] != 3);
      free(mine);
      _exit(bad);
    }
    printf("child found %d bad\n", status_of(pid));
  }
  free(mine);
  return allocate_much();
}

static int fork_again(void) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    allocate_much();
    pid_t inner = fork();
    if (inner == 0) {
      allocate_much();
      pid_t third = fork();
      if (third == 0) _exit(allocate_much() + 3);
      _exit(status_of(third) + 3);
    }
    exit(status_of(inner) + 3);
  }
  printf("chain of children: %d\n", status_of(pid));
  return 0;
}

static int vfork_exec(void) {
  for (int i = 0; i < 20; ++i) {
    fflush(stdout);
    pid_t pid = vfork();
    if (pid == 0) {
      execl("/bin/sh", "sh", "-c", "exit 9", (char*)NULL);
      _exit(1);
    }
    if (status_of(pid) != 9) puts("vfork child went wrong");
  }
  pid_t pid = vfork();
  if (pid == 0) {
    execl("/nonexistent", "x", (char*)NULL);
    _exit(errno == ENOENT ? 4 : 5);
  }
  printf("failed exec in a vfork child: %d\n", status_of(pid));
  return allocate_much();
}

static int raw_clone(void) {
  char* mine = malloc(50000);
  memset(mine, 8, 50000);
  fflush(stdout);
  long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    int bad = allocate_much() + (mine[0] != 8);
    free(mine);
    long inner = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (inner == 0) _exit(allocate_much());
    _exit(bad + status_of(inner));
  }
  printf("clone child: %d\n", status_of(pid));
  free(mine);
  return allocate_much();
}

static int thread_like(void* out) {
  *(int*)out = allocate_much() + 21;
  return 0;
}

// Shares our memory without being a thread of libc's.
static int clone_vm(void) {
  static int answer;
  char* stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pid_t pid = clone(thread_like, stack + (1 << 20), CLONE_VM | CLONE_VFORK | SIGCHLD, &answer);
  int status = status_of(pid);
  printf("clone with shared memory: %d %d\n", status, answer);
  return allocate_much();
}

static int spawn_empty(void) {
  char* arguments[] = {self, "say-environment", NULL};
  char* none[] = {NULL};
  pid_t pid;
  fflush(stdout);
  int rc = posix_spawn(&pid, self, NULL, NULL, arguments, none);
  printf("posix_spawn: %d, child %d\n", rc, status_of(pid));
  fflush(stdout);
  rc = posix_spawnp(&pid, self, NULL, NULL, arguments, none);
  printf("posix_spawnp: %d, child %d\n", rc, status_of(pid));
  rc = posix_spawn(&pid, "/nonexistent", NULL, NULL, arguments, none);
  printf("missing program: %d\n", rc);
  return 0;
}

static int exec_empty(void) {
  char* arguments[] = {self, "say-environment", NULL};
  char* none[] = {NULL};
  fflush(stdout);
  execve(self, arguments, none);
  return 99;
}

// What the caller put into the environment arrives; nothing of the caller's is lost.
static int exec_with_preload(const char* library) {
  char entry[4096];
  snprintf(entry, sizeof entry, "LD_PRELOAD=%s", library);
  char* arguments[] = {self, "say-preload", (char*)library, NULL};
  char* environment[] = {"MARK=here", entry, NULL};
  execve(self, arguments, environment);
  return 99;
}

static int say_preload(const char* library) {
  const char* preload = getenv("LD_PRELOAD");
  int (*answer)(void) = NULL;
  char line[4096];
  int mapped = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) mapped |= strstr(line, library) != NULL;
  fclose(maps);
  (void)answer;
  printf("preload names it: %d, mapped: %d, mark: %s\n",
         preload && strstr(preload, library) != NULL, mapped, getenv("MARK"));
  return allocate_much();
}

static int say_environment(void) {
  int bad = allocate_much();
  printf("home: %s, bad: %d\n", getenv("HOME") ? "set" : "none", bad);
  return bad;
}

static int exec_chain(int left) {
  allocate_much();
  char number[16];
  snprintf(number, sizeof number, "%d", left - 1);
  fflush(stdout);
  if (left == 0) {
    puts("end of the chain");
    return 6;
  }
  char* arguments[] = {self, "exec-chain", number, NULL};
  switch (left % 5) {
    case 0:
      execv(self, arguments);
      break;
    case 1:
      execvp(self, arguments);
      break;
    case 2:
      execl(self, self, "exec-chain", number, (char*)NULL);
      break;
    case 3:
      execlp(self, self, "exec-chain", number, (char*)NULL);
      break;
    case 4:
      execle(self, self, "exec-chain", number, (char*)NULL, environ);
      break;
  }
  return 99;
}

static int exec_cleared(void) {
  clearenv();
  char* arguments[] = {self, "say-environment", NULL};
  fflush(stdout);
  execv(self, arguments);
  return 99;
}

static int failed_exec(void) {
  char* arguments[] = {"x", NULL};
  printf("missing: %d %d\n", execv("/nonexistent/x", arguments), errno);
  printf("directory: %d %d\n", execv("/tmp", arguments), errno == EACCES);
  printf("not on path: %d %d\n", execvp("no-such-program-anywhere", arguments), errno);
  return allocate_much();
}

static int shells(void) {
  fflush(stdout);
  int status = system("echo from system; exit 3");
  printf("system: %d\n", WEXITSTATUS(status));
  FILE* pipe = popen("echo from popen; echo again; exit 4", "r");
  char line[100];
  while (fgets(line, sizeof line, pipe)) printf("read: %s", line);
  status = pclose(pipe);
  printf("pclose: %d\n", WEXITSTATUS(status));
  return 0;
}

// No stranger among our children.
static int wait_any(void) {
  allocate_much();
  printf("before: %d %d\n", waitpid(-1, NULL, 0), errno);
  int sum = 0, children = 0;
  for (int i = 0; i < 10; ++i) {
    if (fork() == 0) {
      allocate_much();
      _exit(i);
    }
  }
  for (int status; waitpid(-1, &status, 0) > 0; ++children) sum += WEXITSTATUS(status);
  printf("children: %d, sum: %d, then %d\n", children, sum, errno == ECHILD);
  return 0;
}

static volatile int forks, bad_children;
enum { kForksInHandler = 100 };

// On a busy machine a fork takes longer than the timer: without an end here, the program would never get on.
static void count_fork(void) {
  if (++forks < kForksInHandler) return;
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
}

static void fork_in_handler(int signal) {
  (void)signal;
  int saved = errno;
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  int status = 1;
  waitpid(pid, &status, 0);
  bad_children += status != 0;
  count_fork();
  errno = saved;
}

// The handler comes at any moment, also inside our own work: its children return from it in the second half.
static void return_into_child(int signal) {
  (void)signal;
  int saved = errno;
  pid_t pid = fork();
  if (pid == 0) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGALRM);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    forks = -1;  // the child goes on where it was interrupted
    return;
  }
  int status = 1;
  waitpid(pid, &status, 0);
  bad_children += status != 0;
  count_fork();
  errno = saved;
}

static int fork_in_signal(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 700}, {0, 700}};
  setitimer(ITIMER_REAL, &often, NULL);
  // mmap, not malloc: a fork inside malloc waits for malloc's lock with or without us
  while (forks >= 0 && forks < kForksInHandler) {
    void* p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p, 1 << 20);
  }
  if (forks < 0) _exit(0);
  printf("bad children of the handler: %d\n", bad_children);
  return allocate_much();
}

int main(int argc, char** argv) {
  self = argv[0];
  const char* mode = argv[1];
  if (!strcmp(mode, "fork-exit")) return fork_exit();
  if (!strcmp(mode, "fork-malloc")) return fork_malloc();
  if (!strcmp(mode, "fork-again")) return fork_again();
  if (!strcmp(mode, "vfork-exec")) return vfork_exec();
  if (!strcmp(mode, "raw-clone")) return raw_clone();
  if (!strcmp(mode, "clone-vm")) return clone_vm();
  if (!strcmp(mode, "spawn-empty")) return spawn_empty();
  if (!strcmp(mode, "exec-empty")) return exec_empty();
  if (!strcmp(mode, "exec-cleared")) return exec_cleared();
  if (!strcmp(mode, "exec-with-preload")) return exec_with_preload(argv[2]);
  if (!strcmp(mode, "say-preload")) return say_preload(argv[2]);
  if (!strcmp(mode, "say-environment")) return say_environment();
  if (!strcmp(mode, "exec-chain")) return exec_chain(argc > 2 ? atoi(argv[2]) : 6);
  if (!strcmp(mode, "failed-exec")) return failed_exec();
  if (!strcmp(mode, "shells")) return shells();
  if (!strcmp(mode, "wait-any")) return wait_any();
  if (!strcmp(mode, "fork-in-signal")) return fork_in_signal(fork_in_handler);
  if (!strcmp(mode, "fork-out-of-signal")) return fork_in_signal(return_into_child);
  return 98;
}
