// inproc/hooks/real.h: the functions behind ours: the next definition in load order, usually libc's.
// World: inside. Resolved at the first hooked call, before any constructor if need be; constant afterwards.
#pragma once
#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>

#include "inproc/os/elf_symbols.h"

#if defined(__GLIBC__) && !__GLIBC_PREREQ(2, 26)
extern "C" void* reallocarray(void*, size_t,
                              size_t);  // hooked where a newer glibc is there at run time
#endif

// C23, in glibc since 2.43.
extern "C" void free_sized(void*, size_t) noexcept;
extern "C" void free_aligned_sized(void*, size_t, size_t) noexcept;

namespace tenure::inproc {

// How the size of a block is told from its address.
enum class SizeOfBlock : uint8_t {
  unknown,  // another heap that does not tell: glibc's answer would be about memory that is not its own
  by_asking,        // another heap that answers malloc_usable_size
  in_chunk_header,  // malloc below us is glibc's own
};

struct Real {
#define HOOK(name) decltype(&::name) name;
#include "inproc/hooks/hooked.inc"
#undef HOOK
  bool is_resolved;
  SizeOfBlock size_of_block;
};

extern Real g_real __attribute__((visibility("hidden")));
void resolve_real() noexcept;

// As they were resolved. Only the guarded heap comes between: then g_real leads there, and from there to these.
const Real& resolved() noexcept;

// Before glibc 2.34 some functions live in librt and libdl, which a program may load long after us: where such a function
// was not there at the start it is looked up at each call. Not for what runs inside a hook of the heap.
template <class Function>
Function loaded_late(Function known, const char* name) noexcept {
  return known ? known : reinterpret_cast<Function>(find_next_symbol(name));
}

inline const Real& real() noexcept {
  if (__builtin_expect(!g_real.is_resolved, 0)) resolve_real();
  return g_real;
}

// Our own function of this name if `found` is the one it stands in front of; else `found`.
void* stand_in(const char* name, void* found) noexcept;
bool is_hooked(const char* name) noexcept;

// The pair for a hooked name: what is behind our function, and our function. False: the name is not hooked.
struct HookPair {
  void* behind;
  void* ours;
};
bool find_hook(const char* name, HookPair* out) noexcept;

// Whether the program's calls of malloc come to us; not if the program itself defines one.
bool is_first_malloc() noexcept;

}  // namespace tenure::inproc
