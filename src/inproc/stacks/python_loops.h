// inproc/stacks/python_loops.h: the loops of a code object, found as the backward jumps of its bytecode.
// World: inside the program. Pure functions over bytes; any thread. Slow: once per code object, never per allocation.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure::inproc {

// Byte offsets as in RawPythonFrame::lasti. Ranges with the same start are the same loop (`continue` jumps too).
struct LoopRange {
  int32_t start;  // target of the jump
  int32_t end;    // the jump itself
  int32_t line;   // of the loop, kNoLine if it has none
};

}  // namespace tenure::inproc
