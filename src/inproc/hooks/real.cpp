#include "inproc/hooks/real.h"

#include <string.h>

#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {

constinit Real g_real{};

// Runs in the first thread of the process (nothing can run before the first allocation), so no lock is needed.
void resolve_real() noexcept {
#define HOOK(name) g_real.name = reinterpret_cast<decltype(&::name)>(find_next_symbol(#name));
#include "inproc/hooks/hooked.inc"
#undef HOOK
  g_real.is_glibc_heap =
      reinterpret_cast<void*>(g_real.malloc) == find_symbol_in("libc.so.6", "malloc");
  g_real.is_resolved = true;
}

bool is_hooked(const char* name) noexcept {
#define HOOK(hooked) \
  if (strcmp(name, #hooked) == 0) return true;
#include "inproc/hooks/hooked.inc"
#undef HOOK
  return false;
}

void* stand_in(const char* name, void* found) noexcept {
#define HOOK(hooked)                                                                            \
  if (strcmp(name, #hooked) == 0)                                                               \
    return found == reinterpret_cast<void*>(g_real.hooked) ? reinterpret_cast<void*>(&::hooked) \
                                                           : found;
#include "inproc/hooks/hooked.inc"
#undef HOOK
  return found;
}

}  // namespace tenure::inproc
