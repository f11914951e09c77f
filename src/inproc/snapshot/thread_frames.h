// inproc/snapshot/thread_frames.h: the running frames of all threads as roots, and the locals of any frame by name.
// World: inside, in the snapshot's child: the other threads do not run there, but their frames are as they were.
#pragma once
#include "inproc/snapshot/graph_builder.h"
#include "inproc/stacks/python_frames.h"

namespace tenure::inproc {

// Every frame of every thread becomes a root of its own. Tenure's own frames are silent.
void add_thread_frames(GraphBuilder& builder) noexcept;

// Edges of a running frame. `frame` is a _PyInterpreterFrame; up to 3.10 the frame's own traverse does it all.
void walk_frame(GraphBuilder& builder, Object frame) noexcept;

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

// The code of the program's main module, or of another module of the user's that is the outermost one the main thread runs;
// nullptr: it runs none.
Object running_module(const HeapApi& api, const PythonReader& reader) noexcept;

// The code object a frame runs.
Object code_of_frame(const HeapApi& api, Object frame) noexcept;
// The _PyInterpreterFrame of a frame object; up to 3.10 itself.
Object inner_frame(const HeapApi& api, Object frame_object) noexcept;

}  // namespace tenure::inproc
