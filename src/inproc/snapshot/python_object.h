// inproc/snapshot/python_object.h: raw reads of live Python objects: type, length, small integers, attributes kept inside.
// World: inside, in the snapshot's child or with the GIL. No call into the interpreter: pure loads.
#pragma once
#include <cstring>

#include "inproc/snapshot/object_layout.h"
#include "inproc/stacks/python_strings.h"

namespace tenure::inproc {

using Object = const char*;  // address of a PyObject
using Visit = int (*)(char* object, void* context);
using Traverse = int (*)(char* object, Visit visit, void* context);  // tp_traverse

inline Object type_of(Object o) noexcept { return load_pointer(o, kObjectType); }
inline uint64_t type_flags(Object type) noexcept { return load<uint64_t>(type, kTypeFlags); }
inline uint64_t flags_of(Object o) noexcept { return type_flags(type_of(o)); }
inline const char* type_name(Object type) noexcept { return load_pointer(type, kTypeName); }
inline bool is_named(Object o, const char* name) noexcept {
  return strcmp(type_name(type_of(o)), name) == 0;
}

// Where the items of a tuple begin: behind its head, which grew in 3.14. A subclass may have more behind the items.
inline Object const* tuple_items(Object tuple) noexcept {
  Object type = type_of(tuple);
  for (Object base; (base = load_pointer(type, kTypeBase)) && type_flags(base) & kIsTuple;)
    type = base;
  return reinterpret_cast<Object const*>(tuple + load<int64_t>(type, kTypeBasicSize));
}
inline Object tuple_item(Object tuple, int64_t i) noexcept { return tuple_items(tuple)[i]; }

// -1 for an immortal object.
inline int32_t references_of(Object o, int version) noexcept {
  if (version < 0x30c) {
    auto count = load<int64_t>(o, 0);
    return count > 0x7fffffff ? 0x7fffffff : static_cast<int32_t>(count);
  }
  auto count = load<uint32_t>(o, 0);
  return count >= kImmortal ? -1 : static_cast<int32_t>(count);
}

// The value of an int of at most 62 bits. False: it is larger.
bool read_int(Object o, int version, int64_t* value) noexcept;

// Own bytes, what its items take inside the object included; storage outside is not.
uint64_t size_of(Object o, Object type) noexcept;

// Items of a list, tuple, dict, set or deque; 0 for others.
uint32_t length_of(Object o, uint64_t flags) noexcept;

// Items of a numpy.ndarray that has objects of its own; 0 for all other arrays.
uint64_t object_items(Object array) noexcept;
// maxlen of a deque, maxsize of an lru_cache; 0: none known.
uint32_t bound_of(Object o) noexcept;

// The object that holds the attributes, nullptr when there is none (yet).
Object instance_dict(Object o, int version) noexcept;

// Attributes an instance keeps without a dict (3.11+): names[i] belongs to values[i]; a value may be null.
struct InlineValues {
  const char* names;  // 16 bytes each: the name, then a value that is not used
  Object const* values;
  int64_t count;
};
bool inline_values(Object o, const ObjectLayout& layout, InlineValues* out) noexcept;

// Whether `base` is in the type's __mro__.
bool has_base(Object type, Object base) noexcept;
// Whether the type or one of its bases has this tp_name.
bool derives_from(Object type, const char* name) noexcept;

}  // namespace tenure::inproc
