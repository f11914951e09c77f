// Linked with RUNPATH $ORIGIN/hidden: opens a library by its bare name.
#include <dlfcn.h>
#include <stdio.h>

int open_neighbour(void) {
  void* handle = dlopen("libneighbour.so", RTLD_NOW);
  if (!handle) {
    puts(dlerror());
    return -1;
  }
  return ((int (*)(void))dlsym(handle, "which"))();
}
