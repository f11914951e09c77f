#include "inproc/stacks/code_cache.h"

#include "base/hash.h"

namespace tenure::inproc {

bool CodeCache::start(const PythonReader* reader, StackTable* stacks) noexcept {
  reader_ = reader;
  stacks_ = stacks;
  entries_ = static_cast<KnownCode*>(map_pages(kEntries * sizeof(KnownCode)));
  loops_ = static_cast<LoopRange*>(map_pages(kLoops * sizeof(LoopRange)));
  return entries_ && loops_ && table_.start(2 * kEntries);
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
    return used_++;
  };
  return table_.find_or_add(mix(reinterpret_cast<uintptr_t>(frame.code), frame.fingerprint), equal,
                            make);
}

CodeId CodeCache::id_of(uint32_t entry, const RawPythonFrame& frame) noexcept {
  return entry ? entries_[entry].id : describe(frame.code);
}

uint32_t CodeCache::read_loops(KnownCode& known, const void* code) noexcept {
  uint32_t have = known.loops_plus_1.load(std::memory_order_acquire);
  if (have) return have - 1;
  SpinGuard guard(loops_lock_);
  have = known.loops_plus_1.load(std::memory_order_relaxed);
  if (have) return have - 1;
  int room =
      static_cast<int>(kLoops - loops_used_ < kLoopsPerCode ? kLoops - loops_used_ : kLoopsPerCode);
  int found = reader_->loops(code, loops_ + loops_used_, room);
  if (found < 0) found = 0;
  known.first_loop = loops_used_;
  loops_used_ += static_cast<uint32_t>(found);
  known.loops_plus_1.store(static_cast<uint16_t>(found + 1), std::memory_order_release);
  return static_cast<uint32_t>(found);
}

bool CodeCache::loop_around(uint32_t entry, const void* code, int32_t low, int32_t high,
                            LoopRange* out) noexcept {
  if (!entry) return false;
  KnownCode& known = entries_[entry];
  uint32_t count = read_loops(known, code);
  bool found = false;
  for (uint32_t i = 0; i < count; ++i) {
    const LoopRange& loop = loops_[known.first_loop + i];
    if (loop.start > low || high > loop.end) continue;
    if (!found || loop.end - loop.start < out->end - out->start) *out = loop;
    found = true;
  }
  return found;
}

}  // namespace tenure::inproc
