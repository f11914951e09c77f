// inproc/stacks/native_frames.h: the native stack of the calling thread, by unwind tables and a cache of their rows.
// World: inside the program. Any thread, also within malloc, dlopen and a signal handler: no heap, no lock (with
// glibc < 2.35 the loader's recursive lock on a cache miss: then hold no lock of ours), a system call only for a page of stack
// that this thread was never seen to use.
#pragma once
#include <cstdint>

namespace tenure::inproc {

struct NativeFrame {
  uintptr_t pc;  // return address: the instruction after the call, so subtract 1 when symbolising
  uintptr_t
      function;  // start of the function as the unwind table knows it; 0 for code without a table (JIT)
};

// A thread's last walk. The next one takes from it what still holds: from a frame met again, each step out leads to the
// same place as long as the two words it loads are the same, and nothing has to be looked up.
struct NativeMemo {
  static constexpr int kMost = 48;
  struct Step {
    uintptr_t pc, sp, bp;    // at this frame
    uintptr_t function;      // as in NativeFrame
    uintptr_t next_bp_slot;  // where the caller's bp was loaded from; 0: it is not in memory
    bool is_replayable;      // the way out depends on nothing else in memory
  };
  uint32_t generation;  // of the unwind rows
  int count;
  bool is_truncated;
  Step steps[kMost];
  Step fresh[kMost];  // scratch: the program's stack may be small
};

// The frames of the calling thread, innermost first, starting with the caller of this function. Returns how many were
// written. `*truncated`: there are more, or may be: `max` was reached, or the way out is unknown (generated code, the
// frame below a signal handler). Not truncated means that the last frame is where the thread began.
// Cost: 9 ns per frame seen before, about 0.2 us plus cache misses for a new one. Other than x86-64: 0 frames, truncated.
int capture_native(NativeFrame* out, int max, bool* truncated) noexcept;

// The same with the memo of the calling thread, at most NativeMemo::kMost frames. Not in a signal handler, which may have
// interrupted another walk with this memo. Cost: 2 ns per frame that still holds.
int capture_native(NativeMemo& memo, NativeFrame* out, int max, bool* truncated) noexcept;

// Registers of an interrupted thread, as a signal handler finds them in its ucontext.
struct NativeRegisters {
  uintptr_t pc, sp, bp;
};

// The same for code that was interrupted, not called. The first frame's pc is one past the interrupted address, so that
// all frames are symbolised alike.
int capture_native_at(const NativeRegisters& interrupted, NativeFrame* out, int max,
                      bool* truncated) noexcept;

// To be called after every dlclose: other code may soon lie at the addresses whose rows are cached.
void forget_native_rows() noexcept;

}  // namespace tenure::inproc
