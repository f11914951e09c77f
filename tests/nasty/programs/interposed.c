// Runs with interposer.c preloaded; says how many of its mallocs the interposer saw.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  size_t (*seen)(void) = (size_t (*)(void))dlsym(RTLD_DEFAULT, "interposed_mallocs");
  static char* kept[500];
  int bad = 0;
  for (int i = 0; i < 500; ++i) {
    kept[i] = malloc(77000 + (size_t)i);
    memset(kept[i], i, 77000);
  }
  for (int i = 0; i < 500; ++i) bad += kept[i][76999] != (char)i, free(kept[i]);
  printf("interposer saw: %d, bad: %d\n", seen ? (int)seen() : -1, bad);
  return bad;
}
