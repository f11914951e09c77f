// Allocates in a signal handler while the interrupted thread allocates. usage: signals malloc|mmap
// `malloc` needs a heap that is safe in a handler (safe_heap.c, preloaded after Tenure's library): glibc's is not.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t storms;
static int uses_malloc;

static void work(size_t bytes) {
  if (uses_malloc) {
    char* p = malloc(bytes);
    memset(p, 1, 100);
    p = realloc(p, bytes * 2);
    free(p);
  } else {
    char* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p[0] = 1;
    munmap(p, bytes);
  }
}

static void handler(int signal) {
  (void)signal;
  work(200000);
  work(1500 + (size_t)storms % 7 * 4096);
  ++storms;
}

static pthread_t main_thread;
static volatile int is_over;
static void* pester(void* unused) {
  (void)unused;
  while (!is_over) {
    pthread_kill(main_thread, SIGUSR1);
    usleep(200);
  }
  return NULL;
}

int main(int argc, char** argv) {
  uses_malloc = argc > 1 && !strcmp(argv[1], "malloc");
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  struct itimerval often = {{0, 300}, {0, 300}};
  setitimer(ITIMER_REAL, &often, NULL);
  main_thread = pthread_self();
  pthread_t thread;
  pthread_create(&thread, NULL, pester, NULL);
  while (storms < 3000) work(100000 + (size_t)storms % 100 * 1000);
  is_over = 1;
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  pthread_join(thread, NULL);
  puts("weathered");
  return 0;
}
