// Programs that fault and live with it. usage: faults overflow|overflow-in-thread|overflow-told|guards
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile int depth;

// Each level holds a block, so that the stack may end inside malloc as well.
static int descend(int level) {
  char room[3000];
  char* held = malloc(2000 + (size_t)(level % 7) * 1000);
  memset(room, level, sizeof room);
  depth = level;
  int below = descend(level + 1);
  free(held);
  return below + room[level % 3000];
}

static void* descend_in_thread(void* unused) {
  (void)unused;
  descend(0);
  return NULL;
}

static void tell_and_end(int signal) {
  (void)signal;
  static const char words[] = "the stack ended\n";
  (void)!write(1, words, sizeof words - 1);
  _exit(depth > 500 ? 13 : 14);
}

static void handle(int signal, void (*handler)(int)) {
  stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  sigaltstack(&other, NULL);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(signal, &action, NULL);
}

static sigjmp_buf back;
static void jump_back(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}

// As virtual machines do: a protected page is a question, the fault its answer.
static int guards(void) {
  handle(SIGSEGV, jump_back);
  char* page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  volatile int faults = 0;
  for (volatile int i = 0; i < 2000; ++i) {
    char* held = malloc(1000 + (size_t)i * 37 % 200000);
    if (!sigsetjmp(back, 1))
      page[i] = 1;
    else
      ++faults;
    free(held);
  }
  printf("faults: %d\n", faults);
  return 15;
}

int main(int argc, char** argv) {
  (void)argc;
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  puts("begun");
  fflush(stdout);
  if (!strcmp(argv[1], "overflow")) return descend(0);
  if (!strcmp(argv[1], "overflow-in-thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, descend_in_thread, NULL);
    pthread_join(thread, NULL);
  }
  if (!strcmp(argv[1], "overflow-told")) {
    handle(SIGSEGV, tell_and_end);
    return descend(0);
  }
  if (!strcmp(argv[1], "guards")) return guards();
  return 98;
}
