// base/native_calls.h: how the C++ library speaks to the preloaded library in the same process: one table of functions.
// World: both sides of that call. A change here raises kNativeCallsVersion; other versions do not speak.
#pragma once
#include <cstdint>

namespace tenure {

inline constexpr uint32_t kNativeCallsVersion = 2;
inline constexpr char kNativeCallsName[] = "tenure_native_calls";  // of the exported function

// A line, or, where line is 0, a return address, or neither.
struct NativePlace {
  const char* file;
  const char* function;
  uint32_t line;
  const void* code;
};

// A lifetime error: born, ended, used. A place with neither line nor code is left out. Title, why, fix and holder are
// texts that may hold sentences (base/sentence.h); kinds and states are codes of base/vocabulary.h.
struct NativeLifetimeError {
  const char *kind, *title, *why, *fix, *error_type, *error_message, *holder;
  NativePlace created, ended, used;
};

// Memory was made and belongs to a holder from now on. Without a place the calling stack is taken.
struct NativeCause {
  const char *key, *kind, *holder, *why, *fix;
  NativePlace made;
};

struct NativeCalls {
  uint32_t (*scope_born)(const char* kind, const char* name,
                         const NativePlace& born) noexcept;  // an id; 0: no room
  void (*scope_ended)(uint32_t scope, const char* state, const NativePlace& ended) noexcept;
  void (*scope_filled)(uint32_t scope, uint64_t items, uint64_t bytes) noexcept;
  void (*lifetime_error)(const NativeLifetimeError& error) noexcept;
  void (*cause)(const NativeCause& cause) noexcept;
  void (*step)(const char* name) noexcept;
};

// Null: another version.
using FindNativeCalls = const NativeCalls* (*)(uint32_t version) noexcept;

}  // namespace tenure
