// inproc/stacks/python_frames.h: reads the calling thread's Python stack by raw loads, from inside
// an allocation hook.
// World: inside the program. `start` at boot, by one thread; any thread may call everything else.
// Never takes the GIL, never allocates; the only calls into the interpreter are
// PyGILState_GetThisThreadState and the two that compare interpreters, which are plain loads.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/ids.h"
#include "base/python_lines.h"
#include "inproc/stacks/python_iterators.h"
#include "inproc/stacks/python_layout.h"
#include "inproc/stacks/python_loops.h"

namespace tenure::inproc {

struct RawPythonFrame {
  const void* code;      // address of the code object; alive while the frame runs, reused later
  int32_t lasti;         // byte offset of the current instruction; below zero before the first one
  uint64_t fingerprint;  // of what the code object is: tells it from a later one at its address
  const void* frame;     // its address: valid in the hook that captured it, reused by later calls
};

// A code object as a thread last read it: everything its fingerprint is made of. While it all still
// holds, so does the fingerprint; that is cheaper to see than to compute.
struct CodeMemo {
  const void* code;  // nullptr: empty
  const char* file;
  const char* name;
  const char* qualname;
  const char* lines;
  int64_t file_length;
  int64_t lines_size;
  const char* file_tail_at;  // the last 8 bytes of the file name, and of the line table
  const char* lines_tail_at;
  uint64_t file_tail;
  uint64_t lines_tail;
  int32_t first_line;
  uint32_t file_state;  // says how the characters lie
  uint64_t fingerprint;
};

struct CodeMemos {
  static constexpr int kBits = 6;
  CodeMemo entries[1 << kBits];

  CodeMemo& at(const void* code) noexcept {
    return entries[(uint32_t(reinterpret_cast<uintptr_t>(code) >> 4) * 0x9e3779b1u) >>
                   (32 - kBits)];
  }
};

// A frame as it lay in memory, so that it can be recognised there.
struct SeenPythonFrame {
  RawPythonFrame raw;
  uintptr_t code_word;         // what it says of its code and
  uintptr_t instruction_word;  // of its instruction, as it is stored
};

// A frame of the stack a thread had at its last capture, with what its owner knows of it.
struct PlacedPythonFrame {
  SeenPythonFrame seen;
  const CodeMemo* memo;  // where the code was remembered; another code may be there by now
  uint32_t entry;        // in the code cache
  StackId stack;         // this frame and all outside it
};

struct PythonCapture {
  int depth;
  int same;  // outermost frames that are as they were
  bool is_truncated;
};

struct ExpectedPythonFrame {
  const char* file;
  const char* function;  // co_name
  int line;
};

enum class ReaderState : uint8_t {
  absent,            // no Python in this process
  on,                //
  unknown_version,   // a minor version without a layout here
  free_threaded,     // built without the GIL
  self_test_failed,  // the layout does not fit what the interpreter says, or what boot saw
  subinterpreters,   // more than one interpreter: the thread state may belong to another one
};

// The stack a thread had at its last capture, outermost first.
struct LastPythonStack {
  const PlacedPythonFrame* frames;
  int depth;
  CodeMemos* memos;
};

// What is compiled once per version, with its layout as constants.
struct PythonWalks {
  int (*capture)(const void* thread_state, const void* code_type, RawPythonFrame* out, int max,
                 bool* truncated) noexcept;
  PythonCapture (*capture_since)(const void* thread_state, const void* code_type,
                                 const LastPythonStack& last, SeenPythonFrame* out,
                                 int max) noexcept;
};

class PythonReader {
 public:
  // Finds version and layout. Until it has returned, `capture` of other threads gives no frames.
  // May be called again while the state is `absent`.
  ReaderState start(SymbolLookup lookup) noexcept;

  ReaderState state() const noexcept { return state_.load(std::memory_order_acquire); }
  int version() const noexcept { return version_; }  // 0x30b for 3.11; 0 without Python
  const PythonLayout& layout() const noexcept { return layout_; }
  const void* code_type() const noexcept { return code_type_; }

  // The calling thread's, and the one that runs Python code at present: that up to 3.11 only, later there is no such word.
  const void* thread_state() const noexcept { return this_thread_state_(); }
  const void* running() const noexcept { return running_ ? running_() : nullptr; }

  // Innermost first. 0 without a thread state (a thread Python does not know). `truncated`: there
  // are more than `max`; the outer ones are missing. Cost: about 10 ns and 5 ns a frame while
  // everything is in the cache (tests/python_frames/driver.py speed).
  int capture(RawPythonFrame* out, int max, bool* truncated) const noexcept;

  // The same, against the last stack of the calling thread: only the frames that are not as they
  // were are written to `out`, `depth - same` of them. Cost: 10 ns, and 3 ns a frame that is.
  PythonCapture capture_since(const LastPythonStack& last, SeenPythonFrame* out,
                              int max) const noexcept;

  // The rest describes a code object that is alive: take it from a frame captured in this same
  // hook. Names are UTF-8 with a final zero; the length is returned; a name that does not fit keeps
  // its end. The function name is `Trainer.step`, before 3.11 the plain one: `step`.
  int copy_file_name(const void* code, char* out, int capacity) const noexcept;
  int copy_function_name(const void* code, char* out, int capacity) const noexcept;
  int copy_plain_name(const void* code, char* out, int capacity) const noexcept;
  int first_line(const void* code) const noexcept;
  uint32_t flags(const void* code) const noexcept {
    return load<uint32_t>(code, layout_.code_flags);
  }
  int line(const void* code, int lasti) const noexcept;  // kNoLine for an instruction without one

  // Its instructions where they lie, with the tables that belong to them.
  Bytecode bytecode(const void* code) const noexcept;

  // Loops of the bytecode, at most `max` of them, in the order of their jumps. Reads a few KiB and
  // uses 4 KiB of stack: once per code object. With the JIT on (PYTHON_JIT=1, off by default) it
  // follows the JIT's own list, which other threads may change while this one is without the GIL.
  int loops(const void* code, LoopRange* out, int max) const noexcept;

  // Where a loop that starts at `start` ends if it is a `for`; kNoExit otherwise. Once per loop.
  int32_t for_exit(const void* code, int32_t start) const noexcept;

  // Where the frame's `for` loop stands that has `outer` other `for` loops of the same frame around it. The frame was
  // captured in this same hook, and its instruction lies between the loop's start and exit. False: its iterator is not
  // found.
  bool position(const RawPythonFrame& frame, int outer, IteratorPosition* out) const noexcept;

  // Another number when the frame, captured in this same hook, has assigned to one of its variables. 0: not known.
  uint64_t variables_mark(const RawPythonFrame& frame) const noexcept {
    return inproc::variables_mark(layout_, frame.frame, frame.code);
  }

  // The same for the frame of a function; 0 also for a module's.
  uint64_t function_mark(const RawPythonFrame& frame) const noexcept {
    return inproc::function_mark(layout_, frame.frame, frame.code);
  }

  // Whether a captured stack begins with exactly the frames the boot code expects. If not, the
  // reader is off for good.
  bool self_test(const RawPythonFrame* captured, int captured_count,
                 const ExpectedPythonFrame* expected, int expected_count) noexcept;

  // Turns the reader off once there is more than one interpreter. Two calls, each about as slow as a
  // function call: not for every allocation, but good on the slow path (first sight of a code
  // object). Interpreters are only ever put at the head of the list, so no other is touched.
  ReaderState notice_interpreters() noexcept;

 private:
  using GetThreadState = void* (*)();
  using GetInterpreter = void* (*)();

  ReaderState examine(SymbolLookup lookup) noexcept;
  LineTable line_table(const void* code) const noexcept;
  HiddenOpcodes hidden_opcodes(const void* code) const noexcept;
  bool frame_is(const RawPythonFrame& frame, const ExpectedPythonFrame& expected) const noexcept;

  // Release in `start`, acquire in `state`: whoever sees `on` sees the fields below, which do not
  // change any more. Switching off later is relaxed; one more capture does no harm.
  std::atomic<ReaderState> state_{ReaderState::absent};
  int version_ = 0;
  PythonLayout layout_{};
  PythonWalks walks_{};
  GetThreadState this_thread_state_ = nullptr;
  GetThreadState running_ = nullptr;
  GetInterpreter newest_interpreter_ = nullptr;
  GetInterpreter main_interpreter_ = nullptr;
  const void* code_type_ = nullptr;
  IteratorTypes iterators_;
};

}  // namespace tenure::inproc
