// bytecode/opcodes.h: the opcodes of CPython 3.7 to 3.15 by name, specialised and instrumented ones as the compiler wrote
// them.
// World: offline. Immutable tables.
#pragma once
#include <cstdint>

namespace tenure::bytecode {

enum class Op : uint8_t {
  UNKNOWN,
#define TENURE_OPCODE(name) name,
#include "bytecode/opcodes.inc"
#undef TENURE_OPCODE
};

struct OpcodeEntry {
  uint16_t packed;
  Op op() const { return static_cast<Op>(packed >> 4); }
  int caches() const { return packed & 15; }  // code units behind it that are no instructions
};

// 256 entries; nullptr for a version that is not known.
const OpcodeEntry* opcodes_of(int version);

}  // namespace tenure::bytecode
