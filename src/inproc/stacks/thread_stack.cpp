#include "inproc/stacks/thread_stack.h"

#include <cstring>

#include "inproc/os/elf_symbols.h"
#include "inproc/stacks/users_part.h"

namespace tenure::inproc {
namespace {

bool same_place(const RawPythonFrame& a, const RawPythonFrame& b) {
  return a.code == b.code && a.lasti == b.lasti && a.fingerprint == b.fingerprint;
}

void set_in_loop(ThreadStack& thread, int frame, bool is_inside) {
  uint64_t bit = 1ull << frame % 64, &word = thread.in_loop[frame / 64];
  word = is_inside ? word | bit : word & ~bit;
}

}  // namespace

bool StackTracker::start(PythonReader* reader, ledger::Writer* ledger) noexcept {
  reader_ = reader;
  ledger_ = ledger;
  waiting_.start(reader);
  ObjectInfo own{};
  if (object_of(reinterpret_cast<uintptr_t>(&same_place), &own)) {
    own_start_ = own.start;
    own_bytes_ = own.end - own.start;
  }
  return stacks_.start(ledger) && series_.start(ledger) && codes_.start(reader, &stacks_);
}

void StackTracker::restart() noexcept {
  ++generation_;
  lent_.store(0, std::memory_order_relaxed);
  works_ = 0;
  has_thread_.store(false, std::memory_order_relaxed);
  g_python_threads.clear();
  stacks_.restart();
  series_.restart();
  codes_.restart();
}

void StackTracker::forget(ThreadStack& thread) noexcept {
  thread.generation = generation_;
  thread.python_depth = thread.native_depth = 0;
  thread.lent.thread_state = nullptr;
  std::memset(thread.seen, 0, sizeof thread.seen);
  for (RecentFrames::Entry& entry : thread.recent_frames.entries) entry = {};
  for (LoopsAround& entry : thread.recent_loops.entries) entry = {};
  for (RecentMoves::Entry& entry : thread.recent_moves.entries) entry = {};
  for (LeftIterators::Entry& entry : thread.left_iterators.entries) entry = {};
  for (LeftFrames::Entry& entry : thread.left_frames.entries) entry = {};
  thread.recent_native.rows = 0;  // of no generation: emptied at its next use
}

StackId StackTracker::here(ThreadStack& thread, Birthplace place) noexcept {
  if (thread.generation != generation_) forget(thread);
  place.native_level = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  PythonCapture captured = reader_->capture_since(
      {thread.python, thread.python_depth, &thread.codes}, thread.python_scratch, kMaxPythonFrames);
  if (captured.depth > 0) {
    StackId stack = python_stack(thread, captured, place);
    // What libraries load is start-up, however deep their imports lie: nothing of the program's is lost with it.
    bool is_loss = captured.is_truncated && !is_loading_library(*ledger_, stack);
    if (is_loss) ledger_->lose(ledger::Loss::stack_truncated);
    return stack;
  }
  if (uint32_t lent = lent_.load(std::memory_order_relaxed)) return StackId{lent};
  StackId waiting = place.caller ? waiting_stack(thread) : StackId{};
  return waiting ? waiting : native_stack(thread, place.caller != 0);
}

StackId StackTracker::interrupted_at(const NativeRegisters& registers, Room& room) noexcept {
  bool is_truncated = false;
  StackId stack{};
  for (int i = reader_->capture(room.python, kMaxPythonFrames, &is_truncated); i > 0; --i)
    stack = find_frame(stack, room.python[i - 1]).stack;
  if (stack) return stack;
  for (int i = capture_native_at(registers, room.native, kMaxNativeFrames, &is_truncated); i > 0;
       --i) {
    const NativeFrame& frame = room.native[i - 1];
    if (frame.pc - own_start_ >= own_bytes_) stack = stacks_.stack(stack, native_frame(frame));
  }
  return stack;
}

// The outermost of its frames before the first of another library, seen from inside.
FrameId StackTracker::entry_into(ThreadStack& thread, CodeRange library) noexcept {
  bool truncated = false;
  int depth =
      capture_native(thread.native_memo, thread.native_scratch, kMaxNativeFrames, &truncated);
  const NativeFrame* found = nullptr;
  for (int i = 0; i < depth; ++i) {
    const NativeFrame& frame = thread.native_scratch[i];
    if (frame.pc - library.start < library.bytes)
      found = &frame;
    else if (found)
      break;
  }
  return found ? native_frame(*found) : FrameId{};
}

void StackTracker::begin_work() noexcept {
  const void* me = __builtin_thread_pointer();
  if (++works_ > 1) {
    if (worker_ != me) lent_.store(0, std::memory_order_relaxed);
    return;
  }
  worker_ = me;
  lent_.store(python_stack_now().value, std::memory_order_relaxed);
}

StackId StackTracker::python_stack_now() noexcept {
  RawPythonFrame frames[kMaxPythonFrames];
  bool is_truncated = false;
  StackId stack{};
  for (int i = reader_->capture(frames, kMaxPythonFrames, &is_truncated); i > 0; --i)
    stack = find_frame(stack, frames[i - 1]).stack;
  return stack;
}

StackId StackTracker::glance(ThreadStack& thread) noexcept {
  if (thread.generation != generation_) forget(thread);
  StackId stack = python_stack_now();
  return stack ? stack : native_stack(thread, false);
}

void StackTracker::end_work() noexcept {
  if (works_ > 0) --works_;
  if (works_ == 0) lent_.store(0, std::memory_order_relaxed);
}

// ---- Python ----

StackId StackTracker::python_stack(ThreadStack& thread, PythonCapture captured,
                                   Birthplace place) noexcept {
  const SeenPythonFrame* innermost = thread.python_scratch;
  const int depth = captured.depth, before = thread.python_depth;
  bool has_resumed = false;
  // A frame elsewhere in memory may still be at the same place of the same code: a generator, made anew.
  for (int& same = captured.same; same < depth && same < before; ++same) {
    const SeenPythonFrame& now = innermost[depth - 1 - same];
    if (!same_place(now.raw, thread.python[same].seen.raw)) break;
    const bool is_other = thread.python[same].seen.raw.frame != now.raw.frame;
    thread.python[same].seen = now;
    if (is_other && codes_.is_suspended(thread.python[same].entry))
      has_resumed |= note_resumed(thread, same, same == depth - 1 && place.caller);
  }
  // A truncated stack does not start at its outermost frame: positions mean nothing there.
  if (!captured.is_truncated) note_python_move(thread, captured, place, has_resumed);
  if (captured.same != depth || depth != before) {
    thread.first_asker = 0;
    thread.users_mark = 0;
  }
  if (!thread.first_asker && place.caller) {
    thread.first_asker = place.asker();
    thread.first_bytes = place.bytes;
  }
  StackId outer = captured.same > 0 ? thread.python[captured.same - 1].stack : StackId{};
  for (int i = captured.same; i < depth; ++i) {
    const RawPythonFrame& now = innermost[depth - 1 - i].raw;
    bool was_there = i < before && thread.python[i].seen.raw.frame == now.frame;
    place_frame(thread, i, outer, innermost[depth - 1 - i]);
    set_in_loop(thread, i, !captured.is_truncated && look_around(thread, i));
    if (codes_.is_suspended(thread.python[i].entry) && !captured.is_truncated) {
      if (was_there)
        note_kept_on(thread, i);
      else
        note_resumed(thread, i, i == depth - 1 && place.caller);
    }
    outer = thread.python[i].stack;
  }
  thread.python_depth = depth;
  if (__builtin_expect(before == 0, 0)) {
    g_python_threads.add(reader_->thread_state());
    if (!captured.is_truncated) count_thread(thread);
  }
  return outer;
}

// A thread for each task does the same again and again, and none of them twice: what the outermost function of a thread
// does is done once more. The first thread of all is the program itself.
void StackTracker::count_thread(ThreadStack& thread) noexcept {
  if (has_thread_.exchange(true, std::memory_order_relaxed))
    count_rerun(thread, 0, thread.python[0].seen.raw, Move::backwards);
}

void StackTracker::place_frame(ThreadStack& thread, int at, StackId outer,
                               const SeenPythonFrame& seen) noexcept {
  RecentFrames::Entry& recent = thread.recent_frames.at(outer, seen.raw);
  // Inside a stack that found no room in its table nothing is remembered.
  bool is_known = recent.outer == outer && same_place(recent.raw, seen.raw) && (outer || at == 0);
  if (!is_known) recent = find_frame(outer, seen.raw);
  thread.python[at] = {seen, &thread.codes.at(seen.raw.code), recent.code_entry, recent.stack};
}

RecentFrames::Entry StackTracker::find_frame(StackId outer, const RawPythonFrame& raw) noexcept {
  uint32_t entry = codes_.find(raw);
  return {raw, outer, place_code(outer, codes_.id_of(entry, raw), raw.code, raw.lasti), entry};
}

StackId StackTracker::python_frame(StackId outer, const void* code, int32_t lasti) noexcept {
  return place_code(outer, codes_.describe(code), code, lasti);
}

StackId StackTracker::place_code(StackId outer, CodeId id, const void* code,
                                 int32_t lasti) noexcept {
  ledger::Frame key{};
  key.kind = static_cast<uint32_t>(ledger::FrameKind::python);
  key.owner = id.value;
  int line = reader_->line(code, lasti);
  key.line = line > 0 ? static_cast<uint32_t>(line) : 0;
  key.lasti = lasti;
  return stacks_.stack(outer, stacks_.frame(key));
}

// ---- native ----

ModuleId StackTracker::module_of(uintptr_t pc, uintptr_t* base) noexcept {
  ObjectInfo object{};
  *base = 0;
  if (!object_of(pc, &object)) return {};
  ledger::Module module{};
  module.path = stacks_.string(object.path, static_cast<uint32_t>(std::strlen(object.path)));
  module.base = *base = object.base;
  int size = object.build_id_size < 24 ? object.build_id_size : 24;
  module.build_id_size = static_cast<uint32_t>(size);
  if (size > 0) std::memcpy(module.build_id, object.build_id, static_cast<size_t>(size));
  return stacks_.module(module);
}

FrameId StackTracker::native_frame(const NativeFrame& raw) noexcept {
  uintptr_t base;
  ledger::Frame key{};
  key.kind = static_cast<uint32_t>(ledger::FrameKind::native);
  key.owner = module_of(raw.pc, &base).value;
  key.address = raw.pc - base;
  key.function = raw.function ? raw.function - base : 0;
  return stacks_.frame(key);
}

StackId StackTracker::find_native(ThreadStack& thread, StackId outer,
                                  const NativeFrame& raw) noexcept {
  RecentNativeFrames& recent = thread.recent_native;
  if (recent.rows != thread.native_memo.generation) {
    for (RecentNativeFrames::Entry& entry : recent.entries) entry = {};
    recent.rows = thread.native_memo.generation;
  }
  RecentNativeFrames::Entry& entry = recent.at(outer, raw.pc);
  if (!entry.stack || entry.pc != raw.pc || entry.outer != outer)
    entry = {raw.pc, outer, stacks_.stack(outer, native_frame(raw))};
  return entry.stack;
}

// A look that is no birth: what is remembered of the births is left as it is, or the next one would seem to be a round.
StackId StackTracker::intern_native(ThreadStack& thread, const NativeFrame* innermost,
                                    int depth) noexcept {
  StackId outer{};
  for (int i = depth; i > 0; --i) outer = find_native(thread, outer, innermost[i - 1]);
  return outer;
}

StackId StackTracker::native_stack(ThreadStack& thread, bool is_birth) noexcept {
  bool truncated = false;
  int depth =
      capture_native(thread.native_memo, thread.native_scratch, kMaxNativeFrames, &truncated);
  const NativeFrame* innermost = thread.native_scratch;
  for (; depth > 0 && innermost->pc - own_start_ < own_bytes_; --depth) ++innermost;
  if (!is_birth) return intern_native(thread, innermost, depth);
  int common = depth < thread.native_depth ? depth : thread.native_depth;
  int same = 0;
  while (same < common && innermost[depth - 1 - same].pc == thread.native[same].raw.pc) ++same;
  if (!truncated) note_native_move(thread, innermost, same, depth);
  StackId outer = same > 0 ? thread.native[same - 1].stack : StackId{};
  for (int i = same; i < depth; ++i) {
    PlacedNativeFrame& placed = thread.native[i];
    placed.raw = innermost[depth - 1 - i];
    outer = placed.stack = find_native(thread, outer, placed.raw);
  }
  thread.native_depth = depth;
  return outer;
}

// Which loop it was is decided offline, from the machine code; here only the move backwards is counted.
void StackTracker::note_native_move(ThreadStack& thread, const NativeFrame* innermost, int same,
                                    int depth) noexcept {
  int before = thread.native_depth;
  int at = same;
  uintptr_t to;
  if (same == depth && depth == before) {
    if (depth == 0) return;
    at = depth - 1;
    to = thread.native[at].raw.pc;
  } else {
    if (same == depth || same == before) return;
    to = innermost[depth - 1 - same].pc;
    const NativeFrame& then = thread.native[same].raw;
    uintptr_t function = innermost[depth - 1 - same].function;
    if (!function || function != then.function || to >= then.pc) return;
  }
  StackId from = thread.native[at].stack;
  RecentMoves::Entry& recent = thread.recent_moves.at(from, to);
  if (!from || recent.from != from || recent.to != to)
    recent = {from, find_native_move(thread, at, to), to};
  // Native code cannot come to the same call twice without a loop.
  series_.count(recent.series, Move::backwards);
}

SeriesId StackTracker::find_native_move(const ThreadStack& thread, int at, uintptr_t to) noexcept {
  const PlacedNativeFrame& from = thread.native[at];
  const auto* placed = ledger_->record<ledger::Stack>(ledger::TableId::stacks, from.stack.value);
  const auto* frame = ledger_->record<ledger::Frame>(ledger::TableId::frames, placed->frame.value);
  if (frame->owner == 0) return {};               // generated code lies in no object
  uintptr_t base = from.raw.pc - frame->address;  // both places are in one function
  SeriesKey key{};
  key.kind = ledger::SeriesKind::native_move;
  key.prefix = at > 0 ? thread.native[at - 1].stack : StackId{};
  key.owner = frame->owner;
  key.start = to - base;
  key.end = frame->address;
  key.function = frame->function;
  return series_.find(key);
}

}  // namespace tenure::inproc
