// bytecode/instructions.h: the instructions of a code object one after the other, with their lines and where they jump to.
// World: offline. Pure; damaged bytes end the sequence or give unknown opcodes.
#pragma once
#include <vector>

#include "bytecode/code.h"
#include "bytecode/opcodes.h"

namespace tenure::bytecode {

struct Instruction {
  Op op = Op::UNKNOWN;
  uint32_t argument = 0;
  int32_t start = 0;   // of its first EXTENDED_ARG, which is where jumps to it go
  int32_t offset = 0;  // of its own opcode
  int32_t next = 0;    // behind its caches
  int line = 0;        // 0: it belongs to none
};

// Empty for a version that is not known.
std::vector<Instruction> instructions_of(const Code& code);

constexpr int32_t kNoTarget = -1;
int32_t jump_target(const Code& code, const Instruction& instruction);

}  // namespace tenure::bytecode
