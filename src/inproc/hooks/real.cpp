#include "inproc/hooks/real.h"

#include <string.h>

#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {

constinit Real g_real{};

namespace {

constinit Real g_resolved{};

void* address(auto function) noexcept { return reinterpret_cast<void*>(function); }

bool is_of_libc(const char* name, void* function) noexcept {
  return function == find_symbol_in("libc.so.6", name);
}

SizeOfBlock how_sizes_are_told() noexcept {
  if (is_of_libc("malloc", address(g_real.malloc)) && is_of_libc("free", address(g_real.free)))
    return SizeOfBlock::in_chunk_header;
  ObjectInfo heap{}, answering{};
  bool is_same = object_of(reinterpret_cast<uintptr_t>(g_real.malloc), &heap) &&
                 object_of(reinterpret_cast<uintptr_t>(g_real.malloc_usable_size), &answering) &&
                 heap.start == answering.start;
  return is_same ? SizeOfBlock::by_asking : SizeOfBlock::unknown;
}

}  // namespace

// Runs in the first thread of the process (nothing can run before the first allocation), so no lock is needed.
void resolve_real() noexcept {
#define HOOK(name) g_real.name = reinterpret_cast<decltype(&::name)>(find_next_symbol(#name));
#include "inproc/hooks/hooked.inc"
#undef HOOK
  g_real.size_of_block = how_sizes_are_told();
  g_real.is_resolved = true;
  g_resolved = g_real;
}

const Real& resolved() noexcept { return g_resolved; }

bool find_hook(const char* name, HookPair* out) noexcept {
#define HOOK(hooked)                                         \
  if (strcmp(name, #hooked) == 0) {                          \
    *out = {address(g_resolved.hooked), address(&::hooked)}; \
    return true;                                             \
  }
#include "inproc/hooks/hooked.inc"
#undef HOOK
  return false;
}

bool is_hooked(const char* name) noexcept {
  HookPair pair;
  return find_hook(name, &pair);
}

void* stand_in(const char* name, void* found) noexcept {
  HookPair pair;
  return find_hook(name, &pair) && found == pair.behind ? pair.ours : found;
}

bool is_first_malloc() noexcept { return find_symbol("malloc") == address(&::malloc); }

}  // namespace tenure::inproc
