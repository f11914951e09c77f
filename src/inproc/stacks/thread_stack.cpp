#include "inproc/stacks/thread_stack.h"

#include <cstring>

#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

bool same_place(const RawPythonFrame& a, const RawPythonFrame& b) {
  return a.code == b.code && a.lasti == b.lasti && a.fingerprint == b.fingerprint;
}

bool same_code(const RawPythonFrame& a, const RawPythonFrame& b) {
  return a.code == b.code && a.fingerprint == b.fingerprint;
}

}  // namespace

bool StackTracker::start(PythonReader* reader, ledger::Writer* ledger) noexcept {
  reader_ = reader;
  ledger_ = ledger;
  ObjectInfo own{};
  if (object_of(reinterpret_cast<uintptr_t>(&same_place), &own)) {
    own_start_ = own.start;
    own_bytes_ = own.end - own.start;
  }
  return stacks_.start(ledger) && series_.start(ledger) && codes_.start(reader, &stacks_);
}

void StackTracker::restart() noexcept {
  ++generation_;
  stacks_.restart();
  series_.restart();
  codes_.restart();
}

StackId StackTracker::here(ThreadStack& thread, Birthplace place) noexcept {
  if (thread.generation != generation_) {
    thread.generation = generation_;
    thread.python_depth = thread.native_depth = 0;
  }
  bool truncated = false;
  int depth = 0;
  if (reader_->state() == ReaderState::on)
    depth = reader_->capture(thread.python_scratch, kMaxPythonFrames, &truncated);
  if (truncated) ledger_->lose(ledger::Loss::stack_truncated);
  return depth > 0 ? python_stack(thread, depth, truncated, place) : native_stack(thread);
}

// ---- Python ----

StackId StackTracker::python_stack(ThreadStack& thread, int depth, bool truncated,
                                   Birthplace place) noexcept {
  const RawPythonFrame* innermost = thread.python_scratch;
  int common = depth < thread.python_depth ? depth : thread.python_depth;
  int same = 0;
  while (same < common && same_place(innermost[depth - 1 - same], thread.python[same].raw)) ++same;
  // A truncated stack does not start at its outermost frame: positions mean nothing there.
  if (!truncated) note_python_move(thread, same, depth, place);
  if (same != depth || depth != thread.python_depth) {
    thread.first_caller = place.caller;
    thread.first_bytes = place.bytes;
  }
  StackId outer = same > 0 ? thread.python[same - 1].stack : StackId{};
  for (int i = same; i < depth; ++i) {
    PlacedPythonFrame& placed = thread.python[i];
    placed.raw = innermost[depth - 1 - i];
    placed.entry = codes_.find(placed.raw);
    ledger::Frame key{};
    key.kind = static_cast<uint32_t>(ledger::FrameKind::python);
    key.owner = codes_.id_of(placed.entry, placed.raw).value;
    int line = reader_->line(placed.raw.code, placed.raw.lasti);
    key.line = line > 0 ? static_cast<uint32_t>(line) : 0;
    key.lasti = placed.raw.lasti;
    outer = placed.stack = stacks_.stack(outer, stacks_.frame(key));
  }
  thread.python_depth = depth;
  return outer;
}

// The first frame that differs tells: its instruction went backwards, so a loop came round, here or further out.
void StackTracker::note_python_move(ThreadStack& thread, int same, int depth,
                                    Birthplace place) noexcept {
  int before = thread.python_depth;
  if (same == depth && depth == before) {
    // The very same stack again. One instruction may ask for several blocks; a new round begins with the same asker.
    if (!place.is_exact || place.caller != thread.first_caller) return;
    int32_t at = thread.python[depth - 1].raw.lasti;
    count_loop(thread, depth - 1, at, at,
               place.bytes == thread.first_bytes ? Move::same_again : Move::loose_again);
    return;
  }
  if (same == depth || same == before) return;
  const RawPythonFrame& now = thread.python_scratch[depth - 1 - same];
  const RawPythonFrame& then = thread.python[same].raw;
  if (same_code(now, then) && now.lasti < then.lasti)
    count_loop(thread, same, then.lasti, now.lasti, Move::backwards);
}

// Frames up to `changed` are still those of `thread`; without a loop there, its caller's call ran again.
void StackTracker::count_loop(const ThreadStack& thread, int changed, int32_t from, int32_t to,
                              Move move) noexcept {
  LoopRange loop;
  int low = to, high = from;
  for (int i = changed; i >= 0; --i) {
    const PlacedPythonFrame& placed = thread.python[i];
    if (codes_.loop_around(placed.entry, placed.raw.code, low, high, &loop)) {
      ledger::Series key{};
      key.kind = static_cast<uint32_t>(ledger::SeriesKind::python_loop);
      key.prefix = i > 0 ? thread.python[i - 1].stack : StackId{};
      key.owner = codes_.id_of(placed.entry, placed.raw).value;
      key.line = static_cast<uint32_t>(loop.line);
      key.start = static_cast<uint64_t>(loop.start);
      key.end = static_cast<uint64_t>(loop.end);
      series_.count(key, move);
      return;
    }
    if (i > 0) low = high = thread.python[i - 1].raw.lasti;
  }
  const PlacedPythonFrame& again = thread.python[changed];
  ledger::Series key{};
  key.kind = static_cast<uint32_t>(ledger::SeriesKind::python_rerun);
  key.prefix = changed > 0 ? thread.python[changed - 1].stack : StackId{};
  key.owner = codes_.id_of(again.entry, again.raw).value;
  series_.count(key, move);
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

StackId StackTracker::native_stack(ThreadStack& thread) noexcept {
  bool truncated = false;
  int depth = capture_native(thread.native_scratch, kMaxNativeFrames, &truncated);
  const NativeFrame* innermost = thread.native_scratch;
  for (; depth > 0 && innermost->pc - own_start_ < own_bytes_; --depth) ++innermost;
  int common = depth < thread.native_depth ? depth : thread.native_depth;
  int same = 0;
  while (same < common && innermost[depth - 1 - same].pc == thread.native[same].raw.pc) ++same;
  if (!truncated) note_native_move(thread, innermost, same, depth);
  StackId outer = same > 0 ? thread.native[same - 1].stack : StackId{};
  for (int i = same; i < depth; ++i) {
    PlacedNativeFrame& placed = thread.native[i];
    placed.raw = innermost[depth - 1 - i];
    outer = placed.stack = stacks_.stack(outer, native_frame(placed.raw));
  }
  thread.native_depth = depth;
  return outer;
}

// Which loop it was is decided offline, from the machine code; here only the move backwards is counted.
void StackTracker::note_native_move(ThreadStack& thread, const NativeFrame* innermost, int same,
                                    int depth) noexcept {
  int before = thread.native_depth;
  int at = same;
  uintptr_t from, to;
  if (same == depth && depth == before) {
    if (depth == 0) return;
    at = depth - 1;
    from = to = thread.native[at].raw.pc;
  } else {
    if (same == depth || same == before) return;
    to = innermost[depth - 1 - same].pc;
    from = thread.native[same].raw.pc;
    uintptr_t function = innermost[depth - 1 - same].function;
    if (!function || function != thread.native[same].raw.function || to >= from) return;
  }
  ObjectInfo object{};
  if (!object_of(to, &object)) return;
  const ledger::Stack* placed =
      ledger_->record<ledger::Stack>(ledger::TableId::stacks, thread.native[at].stack.value);
  const ledger::Frame* frame =
      ledger_->record<ledger::Frame>(ledger::TableId::frames, placed->frame.value);
  ledger::Series key{};
  key.kind = static_cast<uint32_t>(ledger::SeriesKind::native_move);
  key.prefix = at > 0 ? thread.native[at - 1].stack : StackId{};
  key.owner = frame->owner;
  key.start = to - object.base;
  key.end = from - object.base;
  key.function = frame->function;
  series_.count(key,
                Move::backwards);  // native code cannot come to the same call twice without a loop
}

}  // namespace tenure::inproc
