// inproc/stacks/waiting_python.h: the Python stack of a thread that waits, read by a native thread that works for it.
// World: inside. Any thread. The other thread may go on at any moment and take its frames apart: the system copies
// everything (`read_memory`), so that nothing faults, and what does not look like a frame or a code object ends the stack.
#pragma once
#include <atomic>

#include "inproc/stacks/python_frames.h"

namespace tenure::inproc {

// The threads that have been seen to run Python code.
class PythonThreads {
 public:
  // The calling thread has this thread state. Once per thread; again after a fork.
  void add(const void* thread_state) noexcept;
  // The calling thread ends.
  void remove() noexcept;
  void clear() noexcept;

  static constexpr int kMost = 8;  // with more nobody can say who waits for whom
  // Their thread states, at most kMost of them; kMost + 1 when there are more.
  int list(const void** out) const noexcept;

 private:
  struct Slot {
    std::atomic<const void*> thread{nullptr};  // its thread pointer; nullptr: free
    std::atomic<const void*> state{nullptr};
  };
  static constexpr int kSlots = 64;
  Slot slots_[kSlots];
  std::atomic<int> used_{0};  // slots that ever had a thread: none behind these
  std::atomic<int> without_slot_{0};
};

inline constinit PythonThreads g_python_threads;

// A frame as it lay in the other thread's memory.
struct ForeignFrame {
  uintptr_t frame;
  uintptr_t code;
  int32_t lasti;
  uintptr_t next;  // the frame outside it; 0: none
  bool runs_code;  // false: it only marks an entry from C

  bool operator==(const ForeignFrame&) const = default;
};

// A code object with the parts that name it and its lines. Its own pointers lead into the copy.
struct CodeCopy {
  alignas(16) char head[216];  // every field of it that a layout names lies in these
  alignas(16) char file[640];
  alignas(16) char name[640];
  alignas(16) char lines[8192];
  uint64_t mark;             // of what it is: tells it from a later one at its address
  bool is_interpreters_own;  // as python_frames leaves it out
};

class WaitingPython {
 public:
  void start(const PythonReader* reader) noexcept { reader_ = reader; }

  // The thread state of the one thread that is inside a native call and has let go of the interpreter. nullptr: there is
  // none, or more than one.
  const void* the_one(CodeCopy* room) const noexcept;

  // False: there is none, or it cannot be read.
  bool innermost(const void* thread_state, ForeignFrame* out) const noexcept;
  bool outside(const ForeignFrame& frame, ForeignFrame* out) const noexcept;
  bool read_code_head(const ForeignFrame& frame,
                      CodeCopy* out) const noexcept;  // the mark, no names
  bool copy_code(const ForeignFrame& frame, CodeCopy* out) const noexcept;

  // Another number when the frame has assigned to one of its variables. 0: not known.
  uint64_t variables_mark(const ForeignFrame& frame) const noexcept;

 private:
  bool waits(const void* thread_state) const noexcept;
  bool waits_for_python(const void* thread_state, CodeCopy* room) const noexcept;
  bool read_frame(uintptr_t address, ForeignFrame* out) const noexcept;

  const PythonReader* reader_ = nullptr;
};

}  // namespace tenure::inproc
