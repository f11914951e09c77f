// Loads plugins. usage: host MODE PLUGIN...
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMiB = 1 << 20 };

int shared_name(void) { return 100; }

static int loop(char** plugins, int count) {
  int sum = 0;
  for (int i = 0; i < 200; ++i) {
    void* handle = dlopen(plugins[i % count], i % 3 ? RTLD_NOW : RTLD_LAZY);
    if (!handle) return puts(dlerror()), 97;
    sum += ((int (*)(void))dlsym(handle, "which"))();
    void* p = ((void* (*)(size_t))dlsym(handle, "make"))(30000);
    dlclose(handle);
    free(p);
  }
  printf("sum: %d\n", sum);
  return 0;
}

static void* loop_in_thread(void* plugins) {
  loop((char**)plugins, 2);
  return NULL;
}

static void* allocate(void* unused) {
  for (int i = 0; i < 20000; ++i) free(malloc((size_t)(i % 9000)));
  return unused;
}

static int loop_beside_threads(char** plugins) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, loop_in_thread, plugins);
  for (int i = 1; i < 3; ++i) pthread_create(&threads[i], NULL, allocate, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}

// 64 MiB through the plugin; the test looks for them in the findings.
static int deep(const char* plugin, int flags) {
  void* handle = dlopen(plugin, flags);
  if (!handle) return puts(dlerror()), 97;
  printf("calls: %d\n", ((int (*)(void))dlsym(handle, "call_shared_name"))());
  void* (*make)(size_t) = (void* (*)(size_t))dlsym(handle, "make");
  void (*end_block)(void*) = (void (*)(void*))dlsym(handle, "end_block");
  void* blocks[16];
  for (int i = 0; i < 16; ++i) blocks[i] = make(4 * kMiB);
  for (int i = 0; i < 16; ++i) end_block(blocks[i]);
  dlclose(handle);
  return 0;
}

// The same through functions that were looked up.
static int lookup(void) {
  void* libc = dlopen("libc.so.6", RTLD_NOW);
  void* (*find[3])(size_t) = {(void* (*)(size_t))dlsym(libc, "malloc"),
                              (void* (*)(size_t))dlsym(RTLD_DEFAULT, "malloc"),
                              (void* (*)(size_t))dlvsym(libc, "malloc", "GLIBC_2.2.5")};
  void (*release)(void*) = (void (*)(void*))dlsym(libc, "free");
  void* blocks[3];
  for (int i = 0; i < 3; ++i) blocks[i] = find[i](32 * kMiB);
  for (int i = 0; i < 3; ++i) release(blocks[i]);
  printf("same malloc: %d, no such name: %d\n", find[0] == find[1],
         dlsym(libc, "no_such_name") == NULL);
  puts(strstr(dlerror(), "no_such_name") ? "error told" : "error lost");
  return 0;
}

// The plugin is only found through the RUNPATH of the library that asks for it.
static int by_runpath(const char* library) {
  void* handle = dlopen(library, RTLD_NOW);
  if (!handle) return puts(dlerror()), 97;
  printf("through the caller's RUNPATH: %d\n", ((int (*)(void))dlsym(handle, "open_neighbour"))());
  return 0;
}

int main(int argc, char** argv) {
  if (!strcmp(argv[1], "loop")) return loop(argv + 2, argc - 2);
  if (!strcmp(argv[1], "loop-beside-threads")) return loop_beside_threads(argv + 2);
  if (!strcmp(argv[1], "deep-now")) return deep(argv[2], RTLD_NOW | RTLD_DEEPBIND);
  if (!strcmp(argv[1], "deep-lazy")) return deep(argv[2], RTLD_LAZY | RTLD_DEEPBIND);
  if (!strcmp(argv[1], "shallow")) return deep(argv[2], RTLD_NOW);
  if (!strcmp(argv[1], "lookup")) return lookup();
  if (!strcmp(argv[1], "runpath")) return by_runpath(argv[2]);
  return 98;
}
