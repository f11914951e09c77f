#include "inproc/stacks/code_cache.h"

#include "base/hash.h"
#include "base/source_path.h"

namespace tenure::inproc {

bool CodeCache::start(const PythonReader* reader, StackTable* stacks) noexcept {
  reader_ = reader;
  stacks_ = stacks;
  entries_ = static_cast<KnownCode*>(map_pages(kEntries * sizeof(KnownCode)));
  loops_ = static_cast<KnownLoop*>(map_pages(kLoops * sizeof(KnownLoop)));
  return entries_ && loops_ && table_.start();
}

void CodeCache::restart() noexcept {
  table_.clear();
  zero_pages(entries_, kEntries * sizeof(KnownCode));
  used_ = 1;
  loops_used_ = 0;
  loops_lock_.store(0, std::memory_order_relaxed);
}

CodeId CodeCache::describe(const void* code) noexcept {
  char text[512];
  ledger::Code key{};
  int length = reader_->copy_file_name(code, text, sizeof text);
  key.file = stacks_->string(text, static_cast<uint32_t>(length));
  length = reader_->copy_function_name(code, text, sizeof text);
  key.name = stacks_->string(text, static_cast<uint32_t>(length));
  key.first_line = reader_->first_line(code);
  return stacks_->code(key);
}

bool CodeCache::is_in_user_file(const void* code) const noexcept {
  char text[512];
  int length = reader_->copy_file_name(code, text, sizeof text);
  return is_user_file({text, static_cast<size_t>(length)});
}

uint32_t CodeCache::find(const RawPythonFrame& frame) noexcept {
  auto equal = [&](uint32_t index) {
    return entries_[index].code == frame.code && entries_[index].fingerprint == frame.fingerprint;
  };
  auto make = [&]() -> uint32_t {
    if (used_ == kEntries) return 0;
    KnownCode& known = entries_[used_];
    known.code = frame.code;
    known.fingerprint = frame.fingerprint;
    known.id = describe(frame.code);
    known.is_users = is_in_user_file(frame.code);
    const uint32_t flags = reader_->flags(frame.code);
    known.is_generator = flags & kMakesGenerator;
    known.is_suspended = flags & (kMakesGenerator | kMakesCoroutine);
    return used_++;
  };
  return table_.find_or_add(mix(reinterpret_cast<uintptr_t>(frame.code), frame.fingerprint), equal,
                            make);
}

CodeId CodeCache::id_of(uint32_t entry, const RawPythonFrame& frame) noexcept {
  return entry ? entries_[entry].id : describe(frame.code);
}

std::span<const KnownLoop> CodeCache::loops_of(KnownCode& known, const void* code) noexcept {
  uint32_t have = known.loops_plus_1.load(std::memory_order_acquire);
  if (have) return {loops_ + known.first_loop, have - 1};
  SpinGuard guard(loops_lock_, LockRank::loops);
  have = known.loops_plus_1.load(std::memory_order_relaxed);
  if (have) return {loops_ + known.first_loop, have - 1};
  LoopRange ranges[kLoopsPerCode];
  uint32_t left = kLoops - loops_used_;
  int found =
      reader_->loops(code, ranges, static_cast<int>(left < kLoopsPerCode ? left : kLoopsPerCode));
  known.first_loop = loops_used_;
  for (int i = 0; i < found; ++i)
    loops_[loops_used_++] = {ranges[i], reader_->for_exit(code, ranges[i].start)};
  have = static_cast<uint32_t>(found > 0 ? found : 0);
  known.loops_plus_1.store(static_cast<uint16_t>(have + 1), std::memory_order_release);
  return {loops_ + known.first_loop, have};
}

// Ranges with the same start are one loop: its narrowest range around both offsets stands for it.
int CodeCache::loops_around(uint32_t entry, const void* code, int32_t low, int32_t high,
                            KnownLoop* out) noexcept {
  if (!entry) return 0;
  auto size = [](const KnownLoop& loop) { return loop.range.end - loop.range.start; };
  int count = 0;
  for (const KnownLoop& loop : loops_of(entries_[entry], code)) {
    if (!loop.spans(low, high)) continue;
    int same = 0;
    while (same < count && out[same].range.start != loop.range.start) ++same;
    if (same < count && size(out[same]) <= size(loop)) continue;
    if (same == count && count == kDeepestNest) continue;
    if (same == count) ++count;
    int at = same;
    for (; at > 0 && size(out[at - 1]) > size(loop); --at) out[at] = out[at - 1];
    out[at] = loop;
  }
  return count;
}

int CodeCache::iterators_below(uint32_t entry, int32_t start, int32_t lasti) const noexcept {
  const KnownCode& known = entries_[entry];
  uint32_t have = known.loops_plus_1.load(std::memory_order_acquire);
  int below = 0;
  int32_t counted = -1;  // starts come in no order, but ranges of one loop share one
  for (;;) {
    int32_t next = start;
    for (uint32_t i = 0; i + 1 < have; ++i) {
      const KnownLoop& loop = loops_[known.first_loop + i];
      if (loop.range.start > counted && loop.range.start < next && loop.iterates_at(lasti))
        next = loop.range.start;
    }
    if (next == start) return below;
    counted = next;
    ++below;
  }
}

}  // namespace tenure::inproc
