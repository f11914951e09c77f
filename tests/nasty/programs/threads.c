// usage: threads short|small|keys
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int bad, is_over;
static pthread_key_t keys[40];

static void allocate(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    char* p = malloc((size_t)(i * 131 % 20000));
    char* q = calloc(1, 5000);
    bad += !p || !q || q[4999] != 0;
    free(p);
    free(q);
  }
}

static void* short_life(void* unused) {
  allocate(10);
  return unused;
}

static void* long_life(void* unused) {
  while (!is_over) allocate(50);
  return unused;
}

enum { kBrief = 10000, kAtOnce = 8 };

static int many_short(void) {
  static pthread_t brief[kBrief];
  pthread_t lasting[2];
  for (int i = 0; i < 2; ++i) pthread_create(&lasting[i], NULL, long_life, NULL);
  for (int i = 0; i < kBrief; ++i) {
    if (pthread_create(&brief[i], NULL, short_life, NULL)) return 97;
    if (i >= kAtOnce) pthread_join(brief[i - kAtOnce], NULL);
  }
  for (int i = kBrief - kAtOnce; i < kBrief; ++i) pthread_join(brief[i], NULL);
  is_over = 1;
  for (int i = 0; i < 2; ++i) pthread_join(lasting[i], NULL);
  printf("bad: %d\n", bad);
  return bad;
}

static void* small_stack(void* unused) {
  allocate(200);
  void* p = malloc(300000);
  bad += !p;
  free(p);
  return unused;
}

static int small_stacks(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, small_stack, NULL)) return 97;
    pthread_join(thread, NULL);
  }
  printf("bad: %d\n", bad);
  return bad;
}

static void dying(void* value) {
  allocate(20);
  free(value);
}

static void* with_keys(void* unused) {
  for (int i = 0; i < 40; ++i) pthread_setspecific(keys[i], malloc(2000 + (size_t)i));
  return unused;
}

static int key_destructors(void) {
  for (int i = 0; i < 40; ++i) {
    if (pthread_key_create(&keys[i], dying)) return 97;
  }
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, with_keys, NULL);
    pthread_join(thread, NULL);
  }
  printf("bad: %d\n", bad);
  return bad;
}

int main(int argc, char** argv) {
  (void)argc;
  if (!strcmp(argv[1], "short")) return many_short();
  if (!strcmp(argv[1], "small")) return small_stacks();
  if (!strcmp(argv[1], "keys")) return key_destructors();
  return 98;
}
