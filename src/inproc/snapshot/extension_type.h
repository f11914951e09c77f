// inproc/snapshot/extension_type.h: which types come from extension modules.
// World: inside. Raw loads of a type.
#pragma once
#include "inproc/snapshot/python_object.h"

namespace tenure::inproc {

// Whether a type comes from an extension module, so that its objects may own memory in C that no traversal shows. Containers
// of the interpreter show all they have; pointers of ctypes and cffi own nothing.
// `interpreter`: the mapping that the interpreter's own functions lie in.
struct BinaryRange {
  uint64_t start = 0, end = 0;
  bool has(uint64_t address) const noexcept { return address >= start && address < end; }
};
bool may_own_native(Object type, const BinaryRange& interpreter) noexcept;

}  // namespace tenure::inproc
