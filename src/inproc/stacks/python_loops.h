// inproc/stacks/python_loops.h: the loops of a code object, found as the backward jumps of its
// bytecode.
// World: inside the program. Pure functions over bytes; any thread. Slow: once per code object,
// never per allocation.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/python_lines.h"

namespace tenure::inproc {

// Byte offsets as in RawPythonFrame::lasti. Ranges with the same start are the same loop: a
// `continue` is a jump too. Since 3.12 the jump may stand in an exception handler, far behind the
// loop; then a shorter range of the same loop tells what is inside.
struct LoopRange {
  int32_t start;  // target of the jump
  int32_t end;    // the jump itself
  int32_t line;   // of the `for` or `while`, as far as the bytecode knows it, or kNoLine
};

// What an opcode means here. The order is that of KINDS in tools/gen_python_opcodes.py.
enum class OpKind : uint8_t {
  plain,
  extended_arg,
  stop,             // nothing follows: return, raise
  jump_forward,     // relative
  branch_forward,   // relative, or goes on with the next instruction
  jump_backward,    //
  branch_backward,  //
  resume_backward,  // of `await`, `yield from` and the end of handlers: no loop of the source
  jump_absolute,    // up to 3.10
  branch_absolute,  //
  loop_setup,       // 3.7: stands before a loop, on its line
  for_iter,         // the head of a `for`: goes on with the next item, or leaves
  hidden_by_line,   // 3.12+: a debugger or coverage tool has put its own opcode over the real one
  hidden_by_instruction,  //
  hidden_by_executor,     // 3.13+: the JIT has
  undefined,
};

// Where the opcodes are that were overwritten in place; one entry per code unit. Null where nothing
// was.
struct HiddenOpcodes {
  const uint8_t* by_line = nullptr;
  int by_line_stride = 0;
  const uint8_t* by_instruction = nullptr;
  const void* executors = nullptr;  // _PyExecutorArray
};

// One code object.
struct Bytecode {
  int version;  // 0x30b for 3.11
  const uint8_t* bytes;
  int32_t size;  // in bytes
  LineTable lines;
  const uint8_t* exceptions = nullptr;  // co_exceptiontable: 3.11+
  size_t exceptions_size = 0;
  HiddenOpcodes hidden{};
};

// Loops in the order of their jumps, at most `max` of them; returns how many were written. An
// opcode that this version should not have ends the search.
int find_loops(const Bytecode& code, LoopRange* out, int max) noexcept;

// Where the loop that starts at `start` goes when its iterator is exhausted. Between the two the iterator lies on the
// frame's value stack. kNoExit if it is no `for`.
constexpr int32_t kNoExit = -1;
int32_t for_exit(const Bytecode& code, int32_t start) noexcept;

// The instructions with the opcodes that were overwritten in place put back. `out` has room for code.size bytes.
void copy_instructions(const Bytecode& code, uint8_t* out) noexcept;

}  // namespace tenure::inproc
