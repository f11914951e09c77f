// inproc/hooks/real.h: the functions behind ours: the next definition in load order, usually libc's.
// World: inside. Resolved at the first hooked call, before any constructor if need be; constant afterwards.
#pragma once
#include <dlfcn.h>
#include <malloc.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>

namespace tenure::inproc {

struct Real {
#define HOOK(name) decltype(&::name) name;
#include "inproc/hooks/hooked.inc"
#undef HOOK
  bool is_resolved;
  bool is_glibc_heap;  // malloc below us is glibc's own, whose chunk header tells the size
};

extern Real g_real;
void resolve_real() noexcept;

inline const Real& real() noexcept {
  if (__builtin_expect(!g_real.is_resolved, 0)) resolve_real();
  return g_real;
}

// Our own function of this name if `found` is the one it stands in front of; else `found`.
void* stand_in(const char* name, void* found) noexcept;
bool is_hooked(const char* name) noexcept;

}  // namespace tenure::inproc
