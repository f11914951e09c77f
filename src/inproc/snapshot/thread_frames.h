// inproc/snapshot/thread_frames.h: the running frames of all threads as roots, and the locals of any frame by name.
// World: inside, in the snapshot's child: the other threads do not run there, but their frames are as they were.
#pragma once
#include "inproc/snapshot/heap_walk.h"

namespace tenure::inproc {

// Every frame of every thread becomes a root of its own. Tenure's own frames are silent.
void add_thread_frames(HeapWalk& walk) noexcept;

// Edges of a running frame. `frame` is a _PyInterpreterFrame; up to 3.10 the frame's own traverse does it all.
void walk_frame(HeapWalk& walk, Object frame) noexcept;

// One slot of a frame: `name` is a str; nullptr for a value on the evaluation stack.
struct FrameSlot {
  Object name;
  Object value;
};

// Reads the slots of a frame one after the other. `frame` is a frame object up to 3.10, a _PyInterpreterFrame later.
class FrameSlots {
 public:
  FrameSlots(const HeapApi& api, Object frame) noexcept;
  bool next(FrameSlot* slot) noexcept;  // skips empty ones

 private:
  Object name(int64_t i) const noexcept;

  const char* slots_;
  Object names_[3] = {};  // tuples
  int64_t named_ = 0;
  int64_t count_ = 0;  // named ones and those on the stack
  int64_t at_ = 0;
};

// The code object a frame runs.
Object code_of_frame(const HeapApi& api, Object frame) noexcept;
// The _PyInterpreterFrame of a frame object; up to 3.10 itself.
Object inner_frame(const HeapApi& api, Object frame_object) noexcept;

}  // namespace tenure::inproc
