// inproc/stacks/loop_rounds.cpp: which loops of a thread's Python frames came round since its last look.
// World: inside. The calling thread's own ThreadStack; the part of StackTracker that counts.
#include "base/hash.h"
#include "inproc/stacks/thread_stack.h"

namespace tenure::inproc {
namespace {

// The user's function and who called it: one without variables is told apart by its callers'.
constexpr int kMarkedCallers = 4;

bool same_code(const RawPythonFrame& a, const RawPythonFrame& b) {
  return a.code == b.code && a.fingerprint == b.fingerprint;
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

// The first frame that differs tells: its instruction went backwards, so a loop came round, here or further out.
void StackTracker::note_python_move(ThreadStack& thread, const PythonCapture& captured,
                                    Birthplace place, bool has_resumed) noexcept {
  const int depth = captured.depth, same = captured.same, before = thread.python_depth;
  if (same == depth && depth == before) {
    // The very same stack again. One instruction may ask for several blocks; a new round begins with the same asker.
    const RawPythonFrame& now = thread.python[depth - 1].seen.raw;
    Move kind = place.bytes == thread.first_bytes ? Move::same_again : Move::loose_again;
    bool is_likely = place.is_exact && place.asker() == thread.first_asker && !has_resumed;
    if (!count_round(thread, depth - 1, now, {kind, is_likely}) && !has_resumed)
      note_users_call(thread);
    return;
  }
  if (same < depth && same < before) {
    const RawPythonFrame& now = thread.python_scratch[depth - 1 - same].raw;
    const RawPythonFrame& then = thread.python[same].seen.raw;
    if (same_code(now, then) && now.lasti < then.lasti) {
      count_round(thread, same, now, {Move::backwards, true});
      return;
    }
  }
  // Another function was called from the same place, or returned to it: only loops that count themselves can tell.
  int around = same > 0 ? next_in_loop(thread, same - 1) : -1;
  if (around >= 0)
    count_round(thread, around, thread.python[around].seen.raw, {Move::same_again, false});
}

// `now` is where the frame `changed` is, those outside it are still as in `thread`; without a loop there, its caller's call
// ran again. Loops that count themselves are asked, from the inside out; only inside the innermost of them is the move
// itself evidence. False: no loop was seen that may have come round.
bool StackTracker::count_round(ThreadStack& thread, int changed, const RawPythonFrame& now,
                               PythonMove move) noexcept {
  LoopsMet met;
  for (int i = changed; i >= 0; i = next_in_loop(thread, i - 1)) {
    const RawPythonFrame& here = i == changed ? now : thread.python[i].seen.raw;
    LoopsAround& around = loops_around(thread, i, here.lasti);
    for (int k = 0; k < around.count; ++k) {
      LoopAround& loop = around.loops[k];
      Look look = look_at(thread, i, here, loop);
      if (look == Look::came_round && codes_.is_generator(thread.python[i].entry)) {
        met.has_come_round = true;
        continue;
      }
      if (look == Look::came_round) {
        count_entry(thread, met.stayed);
        return true;
      }
      bool is_inside = met.stayed.frame < 0 && !met.has_come_round;
      if (look == Look::same_round && is_inside) met.stayed = {i, loop, &here};
      if (look == Look::unknown && is_inside && met.doubtful.frame < 0)
        met.doubtful = {i, loop, &here};
      met.has_entered |= look == Look::entered;
      met.has_gone_on |= look == Look::went_on;
    }
  }
  if (met.has_gone_on || met.has_come_round) return true;
  return count_doubtful(thread, changed, now, move, met) || met.has_entered;
}

bool StackTracker::count_doubtful(ThreadStack& thread, int changed, const RawPythonFrame& now,
                                  PythonMove move, const LoopsMet& met) noexcept {
  if (!move.is_likely) return false;
  if (met.doubtful.frame >= 0) {
    LoopAround around = met.doubtful.around;
    count_loop(thread, met.doubtful.frame, around, move.kind, 1);
    return true;
  }
  bool has_stayed = met.stayed.frame >= 0 && move.kind != Move::backwards;
  if (met.has_entered || has_stayed) return false;
  count_rerun(thread, changed, now, move.kind);
  return false;
}

// The very same stack, and no loop says that it came round. A loop of a library may have, one that has no count and makes
// nothing: then the user's function was called again, and its variables, or those of its callers, are others.
void StackTracker::note_users_call(ThreadStack& thread) noexcept {
  int at = thread.python_depth - 1;
  while (at >= 0 && !codes_.is_users(thread.python[at].entry)) --at;
  uint64_t mark = 0;
  for (int i = at; i >= 0 && i > at - kMarkedCallers; --i)
    mark = mix(mark, reader_->function_mark(thread.python[i].seen.raw));
  if (mark == 0 || mark == thread.users_mark) return;
  bool is_known = thread.users_mark != 0;
  thread.users_mark = mark;
  if (is_known) count_rerun(thread, at, thread.python[at].seen.raw, Move::backwards);
}

// A coroutine or a generator is begun, or gone on with after another one had its turn. If it stands before where it stood,
// or makes another block where it made one, or stands there with other variables, a loop of its own came round that does
// not count itself; one that does has been asked. True: that was seen.
bool StackTracker::note_resumed(ThreadStack& thread, int at, bool makes_block) noexcept {
  const PlacedPythonFrame& placed = thread.python[at];
  const RawPythonFrame& now = placed.seen.raw;
  LeftFrames::Entry& left = thread.left_frames.at(now.frame);
  const LeftFrames::Entry then = left;
  left = {now.frame, reader_->function_mark(now), placed.entry, now.lasti};
  const bool is_begun = then.frame != now.frame || then.entry != placed.entry;
  if (!is_begun && then.lasti < now.lasti) return false;
  if (!is_begun && then.lasti == now.lasti && !makes_block &&
      (left.mark == 0 || left.mark == then.mark))
    return false;
  LoopsAround& around = loops_around(thread, at, is_begun ? now.lasti : then.lasti);
  if (around.count == 0 || around.loops[0].outer != kNotFollowed) return false;
  count_loop(thread, at, around.loops[0], Move::counted, 1);
  return true;
}

// It is where it was, or moved on in its turn: that is no news when it is gone on with.
void StackTracker::note_kept_on(ThreadStack& thread, int at) noexcept {
  const PlacedPythonFrame& placed = thread.python[at];
  const RawPythonFrame& now = placed.seen.raw;
  thread.left_frames.at(now.frame) = {now.frame, reader_->function_mark(now), placed.entry,
                                      now.lasti};
}

// Of a frame whose stack found no room in its table nothing is remembered.
LoopsAround& StackTracker::loops_around(ThreadStack& thread, int at, int32_t to) noexcept {
  const PlacedPythonFrame& placed = thread.python[at];
  LoopsAround& around = thread.recent_loops.at(placed.stack, to);
  if (placed.stack && around.from == placed.stack && around.to == to) return around;
  const RawPythonFrame& raw = placed.seen.raw;
  KnownLoop loops[CodeCache::kDeepestNest];
  around = {placed.stack, to, 0, {}, {}};
  around.count = codes_.loops_around(placed.entry, raw.code, to < raw.lasti ? to : raw.lasti,
                                     raw.lasti > to ? raw.lasti : to, loops);
  for (int k = 0; k < around.count; ++k) {
    const KnownLoop& loop = loops[k];
    int outer = loop.iterates_at(to) ? codes_.iterators_below(placed.entry, loop.range.start, to)
                                     : kNotFollowed;
    around.loops[k] = {loop, outer < kSeenIterators ? outer : kNotFollowed, {}};
  }
  return around;
}

Look StackTracker::look_at(ThreadStack& thread, int at, const RawPythonFrame& now,
                           LoopAround& around) noexcept {
  const PlacedPythonFrame& placed = thread.python[at];
  const int32_t start = around.loop.range.start;
  IteratorPosition position;
  if (around.outer == kNotFollowed || !reader_->position(now, around.outer, &position))
    return Look::unknown;
  if (!position.is_counted) return look_at_variables(thread, at, now, around, position.iterator);
  if (around.loop.is_fetching(now.lasti)) ++position.position;
  SeenIterator& seen = thread.seen[at][around.outer];
  bool is_known = seen.entry == placed.entry && seen.loop_start == start;
  bool goes_on =
      is_known && seen.iterator == position.iterator && seen.position <= position.position;
  int64_t rounds = goes_on                     ? position.position - seen.position
                   : position.counts_from_zero ? position.position
                                               : 1;
  if (codes_.is_suspended(placed.entry)) {
    LeftIterators::Entry& left = thread.left_iterators.at(position.iterator);
    const bool is_same = left.iterator == position.iterator && left.frame == now.frame &&
                         left.loop_start == start && left.position <= position.position;
    if (!goes_on && is_same) {
      goes_on = true;
      rounds = position.position - left.position;
    }
    left = {now.frame, position.iterator, position.position, start};
  }
  seen = {position.iterator, position.position, start, placed.entry};
  if (rounds > 0) count_loop(thread, at, around, Move::counted, static_cast<uint64_t>(rounds));
  if (goes_on) return rounds > 0 ? Look::came_round : Look::same_round;
  return is_known ? Look::entered : Look::came_round;
}

// Its iterator does not count. While it makes the next item the frame stands still: if its variables are not what they
// were when it last stood here, the body ran in between.
Look StackTracker::look_at_variables(ThreadStack& thread, int at, const RawPythonFrame& now,
                                     LoopAround& around, const void* iterator) noexcept {
  if (!around.loop.is_fetching(now.lasti)) return Look::unknown;
  // Half of it: as a position it is beyond all that an iterator counts, should one that does come to lie there.
  const auto mark = static_cast<int64_t>(reader_->variables_mark(now) >> 1);
  if (mark == 0) return Look::unknown;
  const SeenIterator here{iterator, mark, around.loop.range.start, thread.python[at].entry};
  SeenIterator& seen = thread.seen[at][around.outer];
  if (seen == here) return Look::unknown;
  seen = here;
  count_loop(thread, at, around, Move::counted, 1);
  return Look::went_on;
}

// A frame came to another instruction: which round its loops are in is known from now on. False: it is in none.
bool StackTracker::look_around(ThreadStack& thread, int at) noexcept {
  const RawPythonFrame& now = thread.python[at].seen.raw;
  LoopsAround& around = loops_around(thread, at, now.lasti);
  for (int k = 0; k < around.count; ++k) look_at(thread, at, now, around.loops[k]);
  return around.count > 0;
}

void StackTracker::count_loop(const ThreadStack& thread, int at, LoopAround& around, Move move,
                              uint64_t rounds) noexcept {
  if (!around.series) {
    const PlacedPythonFrame& placed = thread.python[at];
    SeriesKey key{};
    key.kind = ledger::SeriesKind::python_loop;
    key.prefix = at > 0 ? thread.python[at - 1].stack : StackId{};
    key.owner = codes_.id_of(placed.entry, placed.seen.raw).value;
    key.line = static_cast<uint32_t>(around.loop.range.line);
    key.start = static_cast<uint64_t>(around.loop.range.start);
    key.end = static_cast<uint64_t>(around.loop.range.end);
    around.series = series_.find(key);
  }
  bool calls_program = series_.is_asked_of_libraries() && calls_users(thread, at);
  series_.count(around.series, move, rounds, calls_program);
}

// Inside this frame, when the last block was made.
bool StackTracker::calls_users(const ThreadStack& thread, int at) const noexcept {
  for (int i = at + 1; i < thread.python_depth; ++i) {
    if (codes_.is_users(thread.python[i].entry)) return true;
  }
  return false;
}

// A loop outside came round, so this one was left and entered again.
void StackTracker::count_entry(ThreadStack& thread, LoopPlace& place) noexcept {
  if (place.frame < 0) return;
  for (SeenIterator& seen : thread.seen[place.frame]) {
    if (seen.loop_start == place.around.loop.range.start) seen.iterator = nullptr;
  }
  look_at(thread, place.frame, *place.now, place.around);
}

// No loop is seen around it: a function that ran again, called back from native code.
void StackTracker::count_rerun(ThreadStack& thread, int at, const RawPythonFrame& now,
                               Move move) noexcept {
  LoopsAround& around = loops_around(thread, at, now.lasti);
  if (!around.rerun) {
    const PlacedPythonFrame& again = thread.python[at];
    SeriesKey key{};
    key.kind = ledger::SeriesKind::python_rerun;
    key.prefix = at > 0 ? thread.python[at - 1].stack : StackId{};
    key.owner = codes_.id_of(again.entry, again.seen.raw).value;
    around.rerun = series_.find(key);
  }
  series_.count(around.rerun, move);
}

}  // namespace tenure::inproc
