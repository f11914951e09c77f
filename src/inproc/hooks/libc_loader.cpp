// inproc/hooks/libc_loader.cpp: dlopen and dlsym, so that lookups of libc's own functions find ours.
// World: inside. Where libc looks at the caller's return address (RUNPATH, RTLD_NEXT) the call must be a tail jump:
// this file is always compiled with optimisation, and tests/nasty checks it.
#pragma GCC optimize("O2", "omit-frame-pointer", "optimize-sibling-calls")
#include <dlfcn.h>

#include "inproc/boot/start.h"
#include "inproc/hooks/deep_bind.h"
#include "inproc/hooks/real.h"
#include "inproc/stacks/native_frames.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;

EXPORTED void* dlopen(const char* file, int flags) {
  note_library_change();
  if (flags & RTLD_DEEPBIND) note_deep_binding();
  return loaded_late(real().dlopen, "dlopen")(file, flags);
}

EXPORTED int dlclose(void* handle) {
  int result = loaded_late(real().dlclose, "dlclose")(handle);
  forget_native_rows();
  note_library_change();
  return result;
}

EXPORTED void* dlsym(void* __restrict handle, const char* __restrict name) {
  bind_new_libraries();
  if (handle == RTLD_NEXT || !is_hooked(name))
    return loaded_late(real().dlsym, "dlsym")(handle, name);
  return stand_in(name, loaded_late(real().dlsym, "dlsym")(handle, name));
}

EXPORTED void* dlvsym(void* __restrict handle, const char* __restrict name,
                      const char* __restrict version) {
  bind_new_libraries();
  if (handle == RTLD_NEXT || !is_hooked(name))
    return loaded_late(real().dlvsym, "dlvsym")(handle, name, version);
  return stand_in(name, loaded_late(real().dlvsym, "dlvsym")(handle, name, version));
}
