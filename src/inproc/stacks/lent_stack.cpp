// inproc/stacks/lent_stack.cpp: what native threads make is told under the line that waits for it (the part of StackTracker
// that looks for that line).
// World: inside. Any thread.
#include "base/hash.h"
#include "base/source_path.h"
#include "inproc/stacks/thread_stack.h"

namespace tenure::inproc {

// None: nobody waits, or nobody can say who.
StackId StackTracker::waiting_stack(ThreadStack& thread) noexcept {
  if (!lends_.load(std::memory_order_relaxed)) return {};
  const void* waiting = waiting_.the_one(&thread.code_scratch);
  if (!waiting) return {};
  LentStack& lent = thread.lent;
  if (is_still_lent(lent, waiting)) {
    count_lent_call(lent);
    return lent.stack;
  }
  lent.thread_state = nullptr;
  ForeignFrame* frames = thread.foreign_scratch;
  int depth = 0;
  bool has_more = waiting_.innermost(waiting, frames);
  while (has_more && ++depth < kMaxPythonFrames)
    has_more = waiting_.outside(frames[depth - 1], frames + depth);
  if (depth == 0 || has_more) return {};
  StackId stack{};
  LentStack now{};
  now.users = depth;
  for (int i = depth - 1; i >= 0; --i) {
    bool is_users = false;
    SeriesKey call{ledger::SeriesKind::python_rerun, stack, 0, 0, 0, 0, 0};
    stack = place_foreign(thread, stack, frames[i], &is_users);
    if (!stack) return {};
    if (!is_users) continue;
    now.users = i;
    const auto* placed = ledger_->record<ledger::Stack>(ledger::TableId::stacks, stack.value);
    call.owner =
        ledger_->record<ledger::Frame>(ledger::TableId::frames, placed->frame.value)->owner;
    now.calls = series_.find(call);
  }
  ForeignFrame innermost;  // it may have gone on meanwhile
  if (!waiting_.innermost(waiting, &innermost) || innermost != frames[0]) return {};
  now.depth = now.users + 2 < depth ? now.users + 2 : depth;
  if (now.depth > LentStack::kFrames) return stack;
  for (int i = 0; i < now.depth; ++i) now.frames[i] = frames[i];
  now.stack = stack;
  now.thread_state = waiting;
  lent = now;
  count_lent_call(lent);
  return stack;
}

// The same stack as before; when the variables of the user's function or of its caller are others, it ran again. The loop
// it may stand in is the waiting thread's own to count, at its next block.
void StackTracker::count_lent_call(LentStack& lent) noexcept {
  uint64_t mark = 0;
  for (int i = lent.users; i < lent.depth; ++i)
    mark = mix(mark, waiting_.variables_mark(lent.frames[i]));
  if (lent.users >= lent.depth || mark == lent.users_mark) return;
  bool is_known = lent.users_mark != 0;
  lent.users_mark = mark;
  if (is_known) series_.count(lent.calls, Move::backwards);
}

bool StackTracker::is_still_lent(const LentStack& lent, const void* thread_state) const noexcept {
  if (lent.thread_state != thread_state) return false;
  ForeignFrame now;
  if (!waiting_.innermost(thread_state, &now) || now != lent.frames[0]) return false;
  for (int i = 1; i < lent.depth; ++i)
    if (!waiting_.outside(now, &now) || now != lent.frames[i]) return false;
  return true;
}

StackId StackTracker::place_foreign(ThreadStack& thread, StackId outer, const ForeignFrame& frame,
                                    bool* is_users) noexcept {
  CodeCopy& copy = thread.code_scratch;
  if (!waiting_.read_code_head(frame, &copy)) return {};
  if (copy.is_interpreters_own) return outer;
  const auto* address = reinterpret_cast<const void*>(frame.code);
  const RawPythonFrame raw{address, frame.lasti, copy.mark, nullptr};
  RecentFrames::Entry& recent = thread.recent_frames.at(outer, raw);
  const bool is_known = recent.stack && recent.outer == outer && recent.raw.code == raw.code &&
                        recent.raw.lasti == raw.lasti && recent.raw.fingerprint == raw.fingerprint;
  if (!is_known) {
    if (!waiting_.copy_code(frame, &copy)) return {};
    char path[512];
    int length = reader_->copy_file_name(copy.head, path, sizeof path);
    const bool is_in_user_file = is_user_file({path, static_cast<size_t>(length)});
    recent = {raw, outer, python_frame(outer, copy.head, frame.lasti), is_in_user_file ? 1u : 0u};
  }
  *is_users = recent.code_entry != 0;
  return recent.stack;
}

}  // namespace tenure::inproc
