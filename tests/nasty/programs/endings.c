// Every way to end. usage: endings MODE [NUMBER]
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void allocate(void) {
  for (int i = 0; i < 200; ++i) free(malloc((size_t)i * 100));
}

static void exits(void) {
  allocate();
  puts("in atexit");
  exit(7);
}

static void* exits_in_thread(void* unused) {
  (void)unused;
  allocate();
  puts("from a thread");
  exit(11);
}

static jmp_buf back;
static int callbacks;

static int compare(const void* a, const void* b) {
  void* held = malloc(3000);
  int order = *(const int*)a - *(const int*)b;
  free(held);
  if (++callbacks == 50) longjmp(back, 1);
  return order;
}

static int jump(void) {
  int numbers[4000];
  for (int i = 0; i < 4000; ++i) numbers[i] = i * 7919 % 4000;
  for (int round = 0; round < 5; ++round) {
    callbacks = 0;
    if (!setjmp(back)) qsort(numbers, 4000, sizeof *numbers, compare);
    allocate();
  }
  puts("jumped");
  return 12;
}

static void no_core(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

__attribute__((destructor)) static void last(void) {
  free(malloc(5000));
  puts("in a destructor");
}

int main(int argc, char** argv) {
  const char* mode = argv[1];
  int number = argc > 2 ? atoi(argv[2]) : 0;
  no_core();
  allocate();
  void* left = malloc(70000);
  memset(left, 1, 70000);
  puts("begun");
  if (!strcmp(mode, "return")) return number;
  if (!strcmp(mode, "exit-in-atexit")) return atexit(exits), 3;
  if (!strcmp(mode, "_exit")) fflush(stdout), _exit(number);
  if (!strcmp(mode, "quick_exit")) fflush(stdout), quick_exit(number);
  if (!strcmp(mode, "exit-in-thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, exits_in_thread, NULL);
    pause();
  }
  if (!strcmp(mode, "main-thread-exits")) {
    pthread_t thread;
    pthread_create(&thread, NULL, exits_in_thread, NULL);
    pthread_exit(NULL);
  }
  if (!strcmp(mode, "jump")) return jump();
  fflush(stdout);
  if (!strcmp(mode, "abort")) abort();
  if (!strcmp(mode, "segv")) *(volatile int*)8 = 1;
  if (!strcmp(mode, "signal")) signal(number, SIG_DFL), raise(number);  // nohup ignores SIGHUP
  if (!strcmp(mode, "kill")) kill(getpid(), number), pause();
  return 99;
}
