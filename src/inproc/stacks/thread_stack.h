// inproc/stacks/thread_stack.h: the stack of one thread at its last tracked birth, and what changed since.
// World: inside. A ThreadStack belongs to its thread; the tables behind it are shared.
#pragma once
#include <atomic>

#include "inproc/stacks/code_cache.h"
#include "inproc/stacks/native_frames.h"
#include "inproc/stacks/python_frames.h"
#include "inproc/stacks/recent.h"
#include "inproc/stacks/series_table.h"
#include "inproc/stacks/stack_table.h"
#include "inproc/stacks/waiting_python.h"

namespace tenure::inproc {

inline constexpr int kMaxPythonFrames = 160;
inline constexpr int kMaxNativeFrames = 48;

// Where a `for` loop was when last looked at. It may have ended since: then another iterator stands there.
struct SeenIterator {
  const void* iterator;
  int64_t position;  // of one that does not count: what the frame's variables were
  int32_t loop_start;
  uint32_t entry;  // of the loop's code in the code cache

  bool operator==(const SeenIterator&) const = default;
};
inline constexpr int kSeenIterators = 3;  // nested `for` loops of one frame that are followed

struct PlacedNativeFrame {
  NativeFrame raw;
  StackId stack;
};

// What a native thread last saw of the stack of the thread that waits for it, from the innermost frame to the one that
// called the user's innermost function: while these are as they were, so is the rest.
struct LentStack {
  static constexpr int kFrames = 24;
  const void* thread_state;
  int32_t depth;
  int32_t users;  // the user's innermost function among them; kFrames: none
  StackId stack;
  SeriesId calls;       // of that function
  uint64_t users_mark;  // of its variables and its callers'; 0: not known
  ForeignFrame frames[kFrames];
};

struct ThreadStack {
  uint32_t generation;  // of the process; ids of another generation belong to another ledger
  int32_t python_depth;
  int32_t native_depth;
  uintptr_t
      first_asker;  // who asked for the first block at the present Python stack, and for how much; 0: none yet
  uint64_t first_bytes;
  uint64_t
      users_mark;  // of the user's innermost function at the present Python stack; 0: not looked at yet
  PlacedPythonFrame python[kMaxPythonFrames];  // outermost first
  PlacedNativeFrame native[kMaxNativeFrames];  // outermost first
  uint64_t
      in_loop[(kMaxPythonFrames + 63) / 64];  // bit i: frame i stands inside a loop of its code
  SeenIterator seen[kMaxPythonFrames]
                   [kSeenIterators];  // by frame, the outermost loop of each first
  RecentFrames recent_frames;
  RecentLoops recent_loops;
  RecentMoves recent_moves;
  RecentNativeFrames recent_native;
  LeftIterators left_iterators;
  LeftFrames left_frames;
  CodeMemos codes;
  NativeMemo native_memo;
  SeenPythonFrame python_scratch[kMaxPythonFrames];  // what is new of the present stack
  NativeFrame native_scratch[kMaxNativeFrames];
  LentStack lent;
  ForeignFrame foreign_scratch[kMaxPythonFrames];
  CodeCopy code_scratch;
};

// The code of one loaded object.
struct CodeRange {
  uintptr_t start;
  uintptr_t bytes;
};

// Where a birth happens: `caller` is the return address of the hook, 0 where none happens; sampled births say nothing of repetition unless the
// loop counts itself.
struct Birthplace {
  uintptr_t caller;
  uint64_t bytes;
  bool is_exact;
  uintptr_t native_level =
      0;  // where the native stack ended: tells two askers of one instruction apart

  uintptr_t asker() const noexcept { return caller ^ native_level; }
};

// The instruction of a frame went from one place to another, or came to the same one again.
struct PythonMove {
  Move kind;
  bool is_likely;  // to be a new round, rather than a second block of one instruction
};

// What the iterator of a `for` loop says. New rounds are counted with the look.
enum class Look : uint8_t {
  unknown,  // nothing: it is a `while`, or the iterator does not count
  same_round,  // as before; or entered anew, and by chance the iterator lies where the last one did and is as far
  came_round,  // further out nothing changed
  went_on,     // it came round, or was entered anew: a loop further out may have come round as well
  entered,     // the loop was entered anew: a loop further out may have come round
};

// A loop around a move, met on the way out. A copy: what is remembered of loops further out may take its place.
struct LoopPlace {
  int frame = -1;
  LoopAround around{};
  const RawPythonFrame* now = nullptr;  // the frame it belongs to
};

// What the loops around a move said.
struct LoopsMet {
  LoopPlace doubtful;  // the innermost that nothing is known of
  LoopPlace stayed;    // the innermost that is in the round it was in
  bool has_entered = false;
  bool has_gone_on = false;
  bool has_come_round =
      false;  // one of a generator: the loop that it hands its items to may have, too
};

class StackTracker {
 public:
  bool start(PythonReader* reader, ledger::Writer* ledger) noexcept;
  void restart() noexcept;

  // The present stack of this thread, interned; loops that came round since the last call are counted.
  StackId here(ThreadStack& thread, Birthplace place) noexcept;

  // The same, but nothing is counted, and what is remembered of the births is left as it is.
  StackId glance(ThreadStack& thread) noexcept;

  // Where the calling thread was when a signal interrupted it; nothing that is remembered of it is used or changed, so
  // that it may have been interrupted anywhere. `room` is as large as it is, since a signal's own stack may be small.
  struct Room {
    RawPythonFrame python[kMaxPythonFrames];
    NativeFrame native[kMaxNativeFrames];
  };
  StackId interrupted_at(const NativeRegisters& registers, Room& room) noexcept;
  uint32_t generation() const noexcept { return generation_; }  // of the ledger that stacks are in

  // Where native code of this thread entered a library, on the way to where it is now; none: it is not in it.
  FrameId entry_into(ThreadStack& thread, CodeRange library) noexcept;

  // While one thread waits for work that others do for it, what they make is told under its stack: a thread without
  // Python frames has no other line. Called by the waiting thread, with the GIL. With two such works at once nobody can
  // say whose it is, and nothing is lent.
  void begin_work() noexcept;
  void end_work() noexcept;

  // The same where nobody says so: a thread without Python frames works for the one thread that waits in a native call.
  // Not any more: somebody else tells the lines of what native threads make.
  void stop_lending() noexcept { lends_.store(false, std::memory_order_relaxed); }

  // A frame inside `outer`, as `here` would have interned it: of a stack that somebody else has kept. The code is alive.
  StackId python_frame(StackId outer, const void* code, int32_t lasti) noexcept;

  // The loaded object a code address lies in; none for generated code.
  ModuleId module_of(uintptr_t pc, uintptr_t* base) noexcept;

  StackTable& table() noexcept { return stacks_; }
  SeriesTable& series() noexcept { return series_; }

 private:
  void forget(ThreadStack& thread) noexcept;
  StackId python_stack_now() noexcept;
  StackId python_stack(ThreadStack& thread, PythonCapture captured, Birthplace place) noexcept;
  void note_python_move(ThreadStack& thread, const PythonCapture& captured, Birthplace place,
                        bool has_resumed) noexcept;
  void place_frame(ThreadStack& thread, int at, StackId outer,
                   const SeenPythonFrame& seen) noexcept;
  StackId place_code(StackId outer, CodeId id, const void* code, int32_t lasti) noexcept;
  RecentFrames::Entry find_frame(StackId outer, const RawPythonFrame& raw) noexcept;

  bool count_round(ThreadStack& thread, int changed, const RawPythonFrame& now,
                   PythonMove move) noexcept;
  void note_users_call(ThreadStack& thread) noexcept;
  bool note_resumed(ThreadStack& thread, int at, bool makes_block) noexcept;
  void note_kept_on(ThreadStack& thread, int at) noexcept;
  LoopsAround& loops_around(ThreadStack& thread, int at, int32_t to) noexcept;
  Look look_at(ThreadStack& thread, int at, const RawPythonFrame& now, LoopAround& around) noexcept;
  Look look_at_variables(ThreadStack& thread, int at, const RawPythonFrame& now, LoopAround& around,
                         const void* iterator) noexcept;
  bool look_around(ThreadStack& thread, int at) noexcept;
  void count_loop(const ThreadStack& thread, int at, LoopAround& around, Move move,
                  uint64_t rounds) noexcept;
  bool count_doubtful(ThreadStack& thread, int changed, const RawPythonFrame& now, PythonMove move,
                      const LoopsMet& met) noexcept;
  void count_entry(ThreadStack& thread, LoopPlace& place) noexcept;
  void count_thread(ThreadStack& thread) noexcept;
  bool calls_users(const ThreadStack& thread, int at) const noexcept;
  void count_rerun(ThreadStack& thread, int at, const RawPythonFrame& now, Move move) noexcept;

  StackId waiting_stack(ThreadStack& thread) noexcept;
  bool is_still_lent(const LentStack& lent, const void* thread_state) const noexcept;
  void count_lent_call(LentStack& lent) noexcept;
  StackId place_foreign(ThreadStack& thread, StackId outer, const ForeignFrame& frame,
                        bool* is_users) noexcept;

  StackId native_stack(ThreadStack& thread, bool is_birth) noexcept;
  StackId intern_native(ThreadStack& thread, const NativeFrame* innermost, int depth) noexcept;
  void note_native_move(ThreadStack& thread, const NativeFrame* innermost, int same,
                        int depth) noexcept;
  SeriesId find_native_move(const ThreadStack& thread, int at, uintptr_t to) noexcept;
  FrameId native_frame(const NativeFrame& raw) noexcept;
  StackId find_native(ThreadStack& thread, StackId outer, const NativeFrame& raw) noexcept;

  PythonReader* reader_ = nullptr;
  ledger::Writer* ledger_ = nullptr;
  StackTable stacks_;
  SeriesTable series_;
  CodeCache codes_;
  uint32_t generation_ = 1;
  std::atomic<uint32_t> lent_{0};  // StackId; relaxed: a birth at the edge of a work may miss it
  uint32_t works_ = 0;             // begun and not ended; guarded by the GIL, as is the next
  const void* worker_ = nullptr;   // the thread that waits for them: its thread pointer
  WaitingPython waiting_;
  std::atomic<bool> lends_{true};
  std::atomic<bool> has_thread_{false};  // relaxed: that has made blocks
  uintptr_t own_start_ = 0;              // our own frames are left out of every stack
  uintptr_t own_bytes_ = 0;
};

}  // namespace tenure::inproc
