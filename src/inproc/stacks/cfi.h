// inproc/stacks/cfi.h: call frame information: how to get from a frame to its caller, for one address of code (x86-64).
// World: inside the program. Any thread; reads only the unwind tables of loaded objects; no heap; locks as object_of().
#pragma once
#include <cstdint>

namespace tenure::inproc {

// How the canonical frame address is found: the stack pointer just before the call that made the frame.
enum class CfaRule : uint8_t {
  kUnsupported,  // the frame's caller cannot be found: a signal frame, or a rule no compiler emits around a call
  kOutermost,       // there is no caller: _start, clone
  kStackPointer,    // rsp + offset
  kFramePointer,    // rbp + offset
  kAtStackPointer,  // the word at rsp + offset
  kAtFramePointer,  // the word at rbp + offset: functions that realign their stack
};

// Where the caller's rbp is.
enum class FramePointerRule : uint8_t {
  kUnchanged,
  kAtCfa /* the word at CFA + offset */,
  kAtFramePointer /* at rbp + offset */,
  kLost
};

// The return address is always the word at CFA - 8.
struct CfiRow {
  int32_t cfa_offset;
  int16_t frame_pointer_offset;
  CfaRule cfa;
  FramePointerRule frame_pointer;
};
static_assert(sizeof(CfiRow) == 8, "a row travels as one atomic word");

// The row in effect while the instruction at `address` runs (for a return address: one byte before it), and the start of
// its function. False if no loaded object has unwind information for it. Cost: about 0.2 us plus cache misses.
bool find_cfi_row(uintptr_t address, CfiRow* row, uintptr_t* function) noexcept;

}  // namespace tenure::inproc
