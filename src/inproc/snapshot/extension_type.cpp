#include "inproc/snapshot/extension_type.h"

namespace tenure::inproc {
namespace {

constexpr int kHead = 16;  // of a Python object
constexpr int kTypeDealloc = 48;

// Modules of the interpreter and of frameworks whose objects are walked field by field, or that only point at memory.
constexpr const char* kShown[] = {
    "_io.",         "_thread.",      "_ctypes.", "_asyncio.", "types.",     "itertools.",
    "numpy.",       "_cffi_backend", "torch.",   "ctypes.",   "functools.", "builtins.",
    "collections.", "weakref",       "_weakref", "re.",       "_struct.",   "_contextvars.",
    "operator.",    "_queue.",       "array.",   "mmap.",     "_random.",   "_socket.",
    "select.",      "managedbuffer"};
// But what was written into it is kept by a str or a list that no traversal shows.
constexpr const char* kHidden = "_io.StringIO";

bool is_shown(const char* name) noexcept {
  if (strcmp(name, kHidden) == 0) return false;
  for (const char* prefix : kShown)
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  return false;
}

}  // namespace

// An object of an extension is ended by a function of the extension. Where that is part of the interpreter's binary, only a
// name with a module tells: classes of Python have none.
bool may_own_native(Object type, const BinaryRange& interpreter) noexcept {
  for (int bases = 0; type && bases < 64; ++bases, type = load_pointer(type, kTypeBase)) {
    const char* name = type_name(type);
    if (type_flags(type) & kIsType || is_shown(name)) return false;
    bool is_outside = interpreter.end && !interpreter.has(load<uint64_t>(type, kTypeDealloc));
    bool has_body = load<uint64_t>(type, kTypeBasicSize) > kHead;
    if (has_body && (is_outside || strchr(name, '.'))) return true;
  }
  return false;
}

}  // namespace tenure::inproc
