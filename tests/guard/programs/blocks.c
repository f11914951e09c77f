// MODE: one mistake with a block of the heap, or none. The lines that the findings must name end in their roles.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct node {
  int value;
  struct node* next;
};

static struct node* make(void) {
  return calloc(1, sizeof(struct node));  // created
}

static void drop(struct node* node) {
  free(node);  // ended
}

static int read_after_free(void) {
  struct node* node = make();
  drop(node);
  return node->value;  // used: read
}

static int write_after_free(void) {
  struct node* node = make();
  drop(node);
  node->value = 3;  // used: write
  return 0;
}

static int free_twice(void) {
  struct node* node = make();
  drop(node);  // ended: twice
  drop(node);  // used: twice
  return 0;
}

static int read_beyond(size_t index) {
  int* numbers = malloc(8 * sizeof *numbers);  // created: beyond
  numbers[7] = 1;
  int sum = numbers[7] + numbers[index];  // used: beyond
  free(numbers);
  return sum;
}

static int write_into_slack(size_t index) {
  char* text = malloc(30);  // created: slack
  text[index] = 'x';
  puts("written");
  fflush(stdout);
  free(text);  // ended: slack
  return 0;
}

static int keep_old_address(void) {
  char* old = malloc(3000);        // created: moved
  char* now = realloc(old, 3100);  // ended: moved
  now[0] = 'x';
  return old[0];  // used: moved
}

// The child has another ledger than the parent: it must not take the parent's lines for its own.
static int use_in_child(void) {
  struct node* node = make();
  drop(node);
  pid_t pid = fork();
  if (pid == 0) _exit(node->value);  // used: child
  int status = 0;
  waitpid(pid, &status, 0);
  printf("child ended by signal %d\n", WTERMSIG(status));
  return 0;
}

static sigjmp_buf back;
static volatile sig_atomic_t seen;
static void on_fault(int signal) {
  seen = signal;
  siglongjmp(back, 1);
}

// A program that lives with its own bad accesses goes on doing so, and is told what it set.
static int own_handler(void) {
  printf("before: %d\n", signal(SIGSEGV, on_fault) == SIG_DFL);
  volatile int* nowhere = NULL;
  if (sigsetjmp(back, 1) == 0) return *nowhere;
  printf("caught %d\n", (int)seen);
  struct sigaction now;
  sigaction(SIGSEGV, NULL, &now);
  printf("mine: %d\n", now.sa_handler == on_fault);
  seen = 0;
  if (sigsetjmp(back, 1) == 0) raise(SIGSEGV);
  printf("sent %d\n", (int)seen);
  signal(SIGSEGV, SIG_IGN);
  raise(SIGSEGV);
  puts("ignored");
  signal(SIGSEGV, SIG_DFL);
  fflush(stdout);
  return *nowhere;
}

static int sent_by_itself(void) {
  puts("sending");
  fflush(stdout);
  raise(SIGBUS);
  return 0;
}

// Each block is used as it may be, also the whole of what libc's interface promises.
static int no_mistake(void) {
  unsigned long sum = 0;
  char* kept[64] = {0};
  for (size_t i = 0; i < 20000; ++i) {
    size_t n = i * 131 % 7000;
    char** at = &kept[i % 64];
    *at = realloc(*at, n + 1);
    memset(*at, (int)(i % 256), n + 1);
    sum += (unsigned char)(*at)[n];
  }
  for (int i = 0; i < 64; ++i) free(kept[i]);
  printf("sum %lu\n", sum);
  return 0;
}

static int many_small_ones(void) {
  for (int i = 0; i < 150000; ++i) free(malloc(40));
  puts("done");
  return 0;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (!strcmp(mode, "read")) return read_after_free();
  if (!strcmp(mode, "write")) return write_after_free();
  if (!strcmp(mode, "twice")) return free_twice();
  if (!strcmp(mode, "beyond")) return read_beyond(8);
  if (!strcmp(mode, "slack")) return write_into_slack(30);
  if (!strcmp(mode, "moved")) return keep_old_address();
  if (!strcmp(mode, "child")) return use_in_child();
  if (!strcmp(mode, "own-handler")) return own_handler();
  if (!strcmp(mode, "sent")) return sent_by_itself();
  if (!strcmp(mode, "no-mistake")) return no_mistake();
  if (!strcmp(mode, "many")) return many_small_ones();
  return 98;
}
