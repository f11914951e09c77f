// inproc/stacks/native_frames.cpp: the walk, the cache of unwind rows, and the guard against unreadable stack.
#include "inproc/stacks/native_frames.h"

#include <sys/syscall.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>

#include "inproc/stacks/cfi.h"

namespace tenure::inproc {

#if defined(__x86_64__)

namespace {

// Two words, so that it travels in registers.
struct KnownRow {
  CfiRow row;
  uintptr_t function;  // 0: no object has a table for the address
};

// One cached row, written by whoever missed it, read by all without waiting: a sequence lock whose writers never wait
// either (a busy slot is skipped; one left busy by a thread that fork() cut off stays unused in the child).
// All fields are ordered by `version`: odd while being written; writers release it, readers acquire it.
struct CachedRow {
  std::atomic<uint32_t> version;
  std::atomic<uint32_t> generation;
  std::atomic<uintptr_t> address;
  std::atomic<uintptr_t> function;
  std::atomic<uint64_t> row;

  bool read(uintptr_t wanted, uint32_t present, KnownRow* out) const {
    const uint32_t before = version.load(std::memory_order_acquire);
    if (address.load(std::memory_order_relaxed) != wanted) return false;
    const uint32_t written_in = generation.load(std::memory_order_relaxed);
    out->function = function.load(std::memory_order_relaxed);
    out->row = std::bit_cast<CfiRow>(row.load(std::memory_order_relaxed));
    std::atomic_thread_fence(std::memory_order_acquire);
    return (before & 1) == 0 && written_in == present &&
           version.load(std::memory_order_relaxed) == before;
  }

  void write(uintptr_t new_address, uint32_t present, const KnownRow& known) {
    uint32_t before = version.load(std::memory_order_relaxed);
    if ((before & 1) != 0 ||
        !version.compare_exchange_strong(before, before + 1, std::memory_order_acquire))
      return;
    std::atomic_thread_fence(std::memory_order_release);
    address.store(new_address, std::memory_order_relaxed);
    generation.store(present, std::memory_order_relaxed);
    function.store(known.function, std::memory_order_relaxed);
    row.store(std::bit_cast<uint64_t>(known.row), std::memory_order_relaxed);
    version.store(before + 2, std::memory_order_release);
  }
};

// 8192 sets of two rows, one cache line each: 512 KiB of untouched .bss of which only the used pages become memory.
constexpr int kSetBits = 13;
struct alignas(64) RowSet {
  CachedRow ways[2];
};
static_assert(sizeof(RowSet) == 64);
RowSet g_rows[size_t{1} << kSetBits];
std::atomic<uint32_t> g_generation{
    1};  // rows of another generation are void. Relaxed: ordered by the caller's dlclose
std::atomic<uint32_t> g_next_victim{0};

RowSet& set_of(uintptr_t address) {
  return g_rows[(address * 0x9e3779b97f4a7c15ull) >> (64 - kSetBits)];
}

__attribute__((noinline)) KnownRow find_uncached(uintptr_t address, uint32_t generation) {
  KnownRow known{};
  if (!find_cfi_row(address, &known.row, &known.function)) return {};
  RowSet& set = set_of(address);
  uint32_t victim = g_next_victim.fetch_add(1, std::memory_order_relaxed) & 1;
  for (uint32_t way = 0; way < 2; ++way) {
    if (set.ways[way].generation.load(std::memory_order_relaxed) != generation) victim = way;
  }
  set.ways[victim].write(address, generation, known);
  return known;
}

inline KnownRow find_row(uintptr_t address, uint32_t generation) {
  const RowSet& set = set_of(address);
  KnownRow known;
  if (set.ways[0].read(address, generation, &known) ||
      set.ways[1].read(address, generation, &known))
    return known;
  return find_uncached(address, generation);
}

// Wrong unwind information must never make us read where nothing is mapped. The pages of stack that this thread was seen
// to use are remembered; any other is tried through the kernel first, which costs 0.1-0.2 us once per page.
// Packed into one word, so that a signal handler that walks in between leaves a pair that belongs together.
class ReadableStack {
 public:
  // `is_running_on_it`: the stack pointer is that of this very thread, so its page needs no trial.
  ReadableStack(uintptr_t stack_pointer, bool is_running_on_it) {
    const uintptr_t page = stack_pointer >> kPageBits;
    first_ = remembered_ >> kCountBits;
    count_ = remembered_ & kMaxCount;
    if (page - first_ < count_) return;
    if (is_running_on_it && join_below(page)) return;
    first_ = page;  // another stack: a new thread, a fiber, a signal stack
    count_ = is_running_on_it ? 1 : 0;
    is_changed_ = true;
  }

  ReadableStack(const ReadableStack&) = delete;

  ~ReadableStack() {
    if (is_changed_) remembered_ = first_ << kCountBits | count_;
  }

  // Of an address that is not below the stack pointer: whether everything from there to it is known to be readable.
  bool reaches(uintptr_t address) const { return (address >> kPageBits) - first_ < count_; }

  bool load(uintptr_t address, uintptr_t* value) {
    if ((address & 7) != 0) return false;
    if ((address >> kPageBits) - first_ >= count_ && !try_page(address >> kPageBits)) return false;
    *value = *reinterpret_cast<const uintptr_t*>(address);
    return true;
  }

 private:
  static constexpr int kPageBits = 12, kCountBits = 20;
  static constexpr uint64_t kMaxCount = (1ull << kCountBits) - 1;
  static constexpr uint64_t kNearPages = 16, kLargestFramePages = 2048;

  // The stack has grown downwards since it was last seen.
  bool join_below(uintptr_t page) {
    const uintptr_t added = first_ - page;
    if (added > kNearPages || count_ + added > kMaxCount || !are_readable(page + 1, first_))
      return false;
    first_ = page;
    count_ += added;
    is_changed_ = true;
    return true;
  }

  __attribute__((noinline)) bool try_page(uintptr_t page) {
    if (!are_readable(page, page + 1)) return false;
    const uintptr_t next = first_ + count_;
    const bool joins =
        page - next < kLargestFramePages && page - first_ < kMaxCount && are_readable(next, page);
    if (!joins)
      return true;  // readable, but not known to belong to this stack: tried again next time
    count_ = page - first_ + 1;
    is_changed_ = true;
    return true;
  }

  static bool are_readable(uintptr_t page, uintptr_t end) {
    for (; page < end; ++page) {
      if (!is_readable(page << kPageBits)) return false;
    }
    return true;
  }

  // rt_sigprocmask copies the new mask in before it looks at an impossible `how`: EFAULT or EINVAL, and nothing is done.
  static bool is_readable(uintptr_t address) {
    constexpr long kImpossibleHow = ~0l, kMaskBytes = 8, kFault = -14;
    long result;
    register long mask_bytes asm("r10") = kMaskBytes;
    asm volatile("syscall"
                 : "=a"(result)
                 : "0"(static_cast<long>(SYS_rt_sigprocmask)), "D"(kImpossibleHow), "S"(address),
                   "d"(0l), "r"(mask_bytes)
                 : "rcx", "r11", "memory");
    return result != kFault;
  }

  static thread_local constinit uint64_t remembered_;
  uintptr_t first_, count_;
  bool is_changed_ = false;
};

thread_local constinit uint64_t ReadableStack::remembered_ = 0;

// From a frame to its caller. False when the row does not lead anywhere: then the walk ends.
inline bool step_out(const CfiRow& row, ReadableStack& stack, NativeRegisters* frame) {
  const auto offset = static_cast<uintptr_t>(static_cast<intptr_t>(row.cfa_offset));
  const auto saved = static_cast<uintptr_t>(static_cast<intptr_t>(row.frame_pointer_offset));
  uintptr_t cfa = 0;
  switch (row.cfa) {
    case CfaRule::kStackPointer:
      cfa = frame->sp + offset;
      break;
    case CfaRule::kFramePointer:
      cfa = frame->bp + offset;
      break;
    case CfaRule::kAtStackPointer:
      if (!stack.load(frame->sp + offset, &cfa)) return false;
      break;
    case CfaRule::kAtFramePointer:
      if (!stack.load(frame->bp + offset, &cfa)) return false;
      break;
    case CfaRule::kUnsupported:
    case CfaRule::kOutermost:
      return false;
  }
  if (cfa <= frame->sp) return false;
  switch (row.frame_pointer) {
    case FramePointerRule::kUnchanged:
      break;
    case FramePointerRule::kAtCfa:
      if (!stack.load(cfa + saved, &frame->bp)) return false;
      break;
    case FramePointerRule::kAtFramePointer:
      if (!stack.load(frame->bp + saved, &frame->bp)) return false;
      break;
    case FramePointerRule::kLost:
      frame->bp = 0;
      break;
  }
  frame->sp = cfa;
  return stack.load(cfa - 8, &frame->pc);
}

// `frame.pc` is a return address. The caller sees "truncated" unless the walk ends where the thread began.
inline int walk(NativeRegisters frame, ReadableStack& stack, NativeFrame* out, int max,
                bool* truncated) {
  const uint32_t generation = g_generation.load(std::memory_order_relaxed);
  *truncated = true;
  for (int count = 0; count < max; ++count) {
    const KnownRow known = find_row(frame.pc - 1, generation);
    out[count] = {frame.pc, known.function};
    const bool has_caller =
        known.function != 0 && step_out(known.row, stack, &frame) && frame.pc != 0;
    if (has_caller) continue;
    *truncated = known.row.cfa != CfaRule::kOutermost && frame.pc != 0;
    return count + 1;
  }
  return max > 0 ? max : 0;
}

// Whether the step from `from` still leads to `to`.
inline bool still_leads(const NativeMemo::Step& from, const NativeMemo::Step& to) {
  const auto word_at = [](uintptr_t address) {
    return *reinterpret_cast<const uintptr_t*>(address);
  };
  return from.is_replayable && word_at(to.sp - 8) == to.pc &&
         (from.next_bp_slot == 0 || word_at(from.next_bp_slot) == to.bp);
}

// A walk that joins the last one where it can. The steps walked anew are collected in `fresh`; in the end they replace
// those that the last walk took to get to the same frame.
class MemoWalk {
 public:
  MemoWalk(NativeMemo& memo, const NativeRegisters& start, int max)
      : memo_(memo), frame_(start), stack_(start.sp, true), max_(max) {
    const uint32_t generation = g_generation.load(std::memory_order_relaxed);
    if (memo.generation != generation) memo.count = 0;
    memo.generation = generation;
  }

  void run() {
    for (bool goes_on = true; goes_on;) goes_on = is_at_old_step() ? follow_old() : walk_on();
  }

 private:
  bool is_at_old_step() {
    while (old_ < memo_.count && memo_.steps[old_].sp < frame_.sp) ++old_;
    if (old_ == memo_.count) return false;
    const NativeMemo::Step& step = memo_.steps[old_];
    return step.sp == frame_.sp && step.pc == frame_.pc && step.bp == frame_.bp &&
           stack_.reaches(memo_.steps[memo_.count - 1].sp);
  }

  // True when the way parts from the old one again.
  bool follow_old() {
    int at = old_;
    while (at + 1 < memo_.count && still_leads(memo_.steps[at], memo_.steps[at + 1])) ++at;
    const int rest = memo_.count - old_;
    if (at + 1 == memo_.count && !memo_.is_truncated && fresh_count_ + rest <= max_) {
      splice(rest);
      return false;
    }
    for (; old_ < at && fresh_count_ < max_; ++old_)
      memo_.fresh[fresh_count_++] = memo_.steps[old_];
    frame_ = {memo_.steps[at].pc, memo_.steps[at].sp, memo_.steps[at].bp};
    return walk_on();
  }

  bool walk_on() {
    if (fresh_count_ == max_) return finish(true);
    const KnownRow known = find_row(frame_.pc - 1, memo_.generation);
    const NativeRegisters before = frame_;
    NativeMemo::Step& step = memo_.fresh[fresh_count_++];
    step = {before.pc, before.sp, before.bp, known.function, 0, false};
    if (known.function == 0) return finish(true);
    if (!step_out(known.row, stack_, &frame_)) return finish(known.row.cfa != CfaRule::kOutermost);
    if (frame_.pc == 0) return finish(false);
    describe_way_out(known.row, before, &step);
    return true;
  }

  void describe_way_out(const CfiRow& row, const NativeRegisters& from, NativeMemo::Step* step) {
    const auto saved = static_cast<uintptr_t>(static_cast<intptr_t>(row.frame_pointer_offset));
    if (row.frame_pointer == FramePointerRule::kAtCfa) step->next_bp_slot = frame_.sp + saved;
    if (row.frame_pointer == FramePointerRule::kAtFramePointer)
      step->next_bp_slot = from.bp + saved;
    const bool is_inside = step->next_bp_slot - from.sp < frame_.sp - from.sp;
    step->is_replayable =
        (row.cfa == CfaRule::kStackPointer || row.cfa == CfaRule::kFramePointer) &&
        (step->next_bp_slot == 0 || is_inside);
  }

  // The last `rest` old steps follow the fresh ones.
  void splice(int rest) {
    if (fresh_count_ != old_)
      std::memmove(memo_.steps + fresh_count_, memo_.steps + old_,
                   static_cast<size_t>(rest) * sizeof(NativeMemo::Step));
    copy_fresh();
    memo_.count = fresh_count_ + rest;
  }

  bool finish(bool is_truncated) {
    copy_fresh();
    memo_.count = fresh_count_;
    memo_.is_truncated = is_truncated;
    return false;
  }

  void copy_fresh() {
    for (int i = 0; i < fresh_count_; ++i) memo_.steps[i] = memo_.fresh[i];
  }

  NativeMemo& memo_;
  NativeRegisters frame_;
  ReadableStack stack_;
  const int max_;
  int old_ = 0;
  int fresh_count_ = 0;
};

}  // namespace

__attribute__((noinline)) int capture_native(NativeMemo& memo, NativeFrame* out, int max,
                                             bool* truncated) noexcept {
  const auto* own = static_cast<const uintptr_t*>(__builtin_frame_address(0));
  const NativeRegisters caller = {own[1], reinterpret_cast<uintptr_t>(own + 2), own[0]};
  MemoWalk(memo, caller, max < NativeMemo::kMost ? max : NativeMemo::kMost).run();
  for (int i = 0; i < memo.count; ++i) out[i] = {memo.steps[i].pc, memo.steps[i].function};
  *truncated = memo.is_truncated;
  return memo.count;
}

__attribute__((noinline)) int capture_native(NativeFrame* out, int max, bool* truncated) noexcept {
  // Asking for our frame address makes this function keep rbp: [0] is the caller's rbp, [1] the return address.
  const auto* own = static_cast<const uintptr_t*>(__builtin_frame_address(0));
  const NativeRegisters caller = {own[1], reinterpret_cast<uintptr_t>(own + 2), own[0]};
  ReadableStack stack(caller.sp, true);
  return walk(caller, stack, out, max, truncated);
}

int capture_native_at(const NativeRegisters& interrupted, NativeFrame* out, int max,
                      bool* truncated) noexcept {
  ReadableStack stack(interrupted.sp, false);
  return walk({interrupted.pc + 1, interrupted.sp, interrupted.bp}, stack, out, max, truncated);
}

void forget_native_rows() noexcept { g_generation.fetch_add(1, std::memory_order_relaxed); }

#else

// Only the x86-64 rules are written. Elsewhere native stacks are empty and said to be cut, which the report passes on.
int capture_native(NativeFrame*, int, bool* truncated) noexcept {
  *truncated = true;
  return 0;
}

int capture_native(NativeMemo&, NativeFrame*, int, bool* truncated) noexcept {
  *truncated = true;
  return 0;
}

int capture_native_at(const NativeRegisters&, NativeFrame*, int, bool* truncated) noexcept {
  *truncated = true;
  return 0;
}

void forget_native_rows() noexcept {}

#endif

}  // namespace tenure::inproc
