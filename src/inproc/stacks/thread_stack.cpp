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

void set_in_loop(ThreadStack& thread, int frame, bool is_inside) {
  uint64_t bit = 1ull << frame % 64, &word = thread.in_loop[frame / 64];
  word = is_inside ? word | bit : word & ~bit;
}

// The innermost frame from `frame` outwards that stands inside a loop; -1 if none does.
int next_in_loop(const ThreadStack& thread, int frame) {
  for (; frame >= 0; frame = frame / 64 * 64 - 1) {
    uint64_t word = thread.in_loop[frame / 64] & ~0ull >> (63 - frame % 64);
    if (word) return frame / 64 * 64 + 63 - __builtin_clzll(word);
  }
  return -1;
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
    std::memset(thread.seen, 0, sizeof thread.seen);
  }
  place.native_level = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
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
    thread.first_asker = place.asker();
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
    set_in_loop(thread, i, look_around(thread, i, depth));
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
    int32_t at = thread.python[depth - 1].raw.lasti;
    Move kind = place.bytes == thread.first_bytes ? Move::same_again : Move::loose_again;
    bool is_likely = place.is_exact && place.asker() == thread.first_asker;
    count_round(thread, depth - 1, depth, {at, at, kind, is_likely});
    return;
  }
  if (same == depth || same == before) return;
  const RawPythonFrame& now = thread.python_scratch[depth - 1 - same];
  const RawPythonFrame& then = thread.python[same].raw;
  if (same_code(now, then) && now.lasti < then.lasti)
    count_round(thread, same, depth, {then.lasti, now.lasti, Move::backwards, true});
}

// Frames up to `changed` are still those of `thread`; without a loop there, its caller's call ran again. Loops that count
// themselves are asked, from the inside out; only inside the innermost of them is the move itself evidence.
void StackTracker::count_round(ThreadStack& thread, int changed, int depth,
                               PythonMove move) noexcept {
  KnownLoop loops[CodeCache::kDeepestNest];
  LoopPlace doubtful, stayed;
  bool has_entered = false;
  for (int i = changed; i >= 0; i = next_in_loop(thread, i - 1)) {
    const PlacedPythonFrame& placed = thread.python[i];
    int32_t low = i == changed ? move.to : placed.raw.lasti;
    int32_t high = i == changed ? move.from : placed.raw.lasti;
    int n = codes_.loops_around(placed.entry, placed.raw.code, low, high, loops);
    for (int k = 0; k < n; ++k) {
      Look look = look_at(thread, i, depth, loops[k]);
      if (look == Look::came_round) return count_entry(thread, stayed, depth);
      if (look == Look::same_round && stayed.frame < 0) stayed = {i, loops[k]};
      if (look == Look::unknown && stayed.frame < 0 && doubtful.frame < 0) doubtful = {i, loops[k]};
      has_entered |= look == Look::entered;
    }
  }
  if (!move.is_likely) return;
  if (doubtful.frame >= 0)
    count_loop(thread, doubtful.frame, doubtful.loop, move.kind, 1);
  else if (!has_entered && (stayed.frame < 0 || move.kind == Move::backwards))
    count_rerun(thread, changed, move.kind);
}

Look StackTracker::look_at(ThreadStack& thread, int at, int depth, const KnownLoop& loop) noexcept {
  const RawPythonFrame& now = thread.python_scratch[depth - 1 - at];
  const PlacedPythonFrame& placed = thread.python[at];
  if (!loop.iterates_at(now.lasti)) return Look::unknown;
  int outer = codes_.iterators_below(placed.entry, loop.range.start, now.lasti);
  IteratorPosition position;
  if (outer >= kSeenIterators || !reader_->position(now, outer, &position)) return Look::unknown;
  if (loop.is_fetching(now.lasti)) ++position.position;
  SeenIterator& seen = thread.seen[at][outer];
  bool is_known = seen.entry == placed.entry && seen.loop_start == loop.range.start;
  bool goes_on =
      is_known && seen.iterator == position.iterator && seen.position <= position.position;
  int64_t rounds = goes_on                     ? position.position - seen.position
                   : position.counts_from_zero ? position.position
                                               : 1;
  seen = {position.iterator, position.position, loop.range.start, placed.entry};
  if (rounds > 0) count_loop(thread, at, loop, Move::counted, static_cast<uint64_t>(rounds));
  if (goes_on) return rounds > 0 ? Look::came_round : Look::same_round;
  return is_known ? Look::entered : Look::came_round;
}

// A frame came to another instruction: which round its loops are in is known from now on. False: it is in none.
bool StackTracker::look_around(ThreadStack& thread, int at, int depth) noexcept {
  const PlacedPythonFrame& placed = thread.python[at];
  if (!codes_.has_loops(placed.entry, placed.raw.code)) return false;
  KnownLoop loops[CodeCache::kDeepestNest];
  int n =
      codes_.loops_around(placed.entry, placed.raw.code, placed.raw.lasti, placed.raw.lasti, loops);
  for (int k = 0; k < n; ++k) look_at(thread, at, depth, loops[k]);
  return n > 0;
}

void StackTracker::count_loop(const ThreadStack& thread, int at, const KnownLoop& loop, Move move,
                              uint64_t rounds) noexcept {
  const PlacedPythonFrame& placed = thread.python[at];
  ledger::Series key{};
  key.kind = static_cast<uint32_t>(ledger::SeriesKind::python_loop);
  key.prefix = at > 0 ? thread.python[at - 1].stack : StackId{};
  key.owner = codes_.id_of(placed.entry, placed.raw).value;
  key.line = static_cast<uint32_t>(loop.range.line);
  key.start = static_cast<uint64_t>(loop.range.start);
  key.end = static_cast<uint64_t>(loop.range.end);
  series_.count(key, move, rounds);
}

// A loop outside came round, so this one was left and entered again.
void StackTracker::count_entry(ThreadStack& thread, const LoopPlace& place, int depth) noexcept {
  if (place.frame < 0) return;
  for (SeenIterator& seen : thread.seen[place.frame]) {
    if (seen.loop_start == place.loop.range.start) seen.iterator = nullptr;
  }
  look_at(thread, place.frame, depth, place.loop);
}

// No loop is seen around it: a function that ran again, called back from native code.
void StackTracker::count_rerun(const ThreadStack& thread, int at, Move move) noexcept {
  const PlacedPythonFrame& again = thread.python[at];
  ledger::Series key{};
  key.kind = static_cast<uint32_t>(ledger::SeriesKind::python_rerun);
  key.prefix = at > 0 ? thread.python[at - 1].stack : StackId{};
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
