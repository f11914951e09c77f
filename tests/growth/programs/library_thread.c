/* A library with a thread of its own: it makes the blocks that others ask for, and keeps them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
static size_t g_wanted;
static void* g_made;
static int g_is_running;

static void* work(void* nothing) {
  pthread_mutex_lock(&g_lock);
  for (;;) {
    while (!g_wanted) pthread_cond_wait(&g_changed, &g_lock);
    g_made = malloc(g_wanted);
    memset(g_made, 1, g_wanted);
    g_wanted = 0;
    pthread_cond_broadcast(&g_changed);
  }
  return nothing;
}

/* Asks the thread for a block and waits for it. */
void* made_elsewhere(size_t bytes) {
  pthread_mutex_lock(&g_lock);
  if (!g_is_running) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    g_is_running = 1;
  }
  g_made = NULL;
  g_wanted = bytes;
  pthread_cond_broadcast(&g_changed);
  while (!g_made) pthread_cond_wait(&g_changed, &g_lock);
  void* made = g_made;
  pthread_mutex_unlock(&g_lock);
  return made;
}

void give_back(void* block) { free(block); }

static void* sleep_and_work(void* nothing) {
  for (int i = 0; i < 200; ++i) {
    memset(malloc(100000), 1, 100000);
    usleep(9000);
  }
  return nothing;
}

/* Nobody waits for this. */
void work_alone(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleep_and_work, NULL);
  pthread_detach(thread);
}
