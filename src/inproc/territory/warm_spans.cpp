#include "inproc/territory/warm_spans.h"

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {

Span* WarmSpans::find(size_t bytes, size_t most) noexcept {
  uint32_t bin = bin_of(bytes), last = most > bytes ? bin_of(most) : bin + 1;
  Span* span = bins_[bin];
  for (int i = 0; span && i < kLooks; ++i, span = span->after) {
    if (span->bytes >= bytes) return span;
  }
  do span = ++bin < kBins ? bins_[bin] : nullptr;
  while (!span && bin < last);
  return span;
}

Span* WarmSpans::take(size_t bytes, size_t most) noexcept {
  if (waiting_bytes() == 0) return nullptr;
  TryGuard guard(lock_);
  if (!guard) return nullptr;
  Span* span = find(bytes, most);
  if (span) remove(span);
  return span;
}

bool WarmSpans::keep(Span* span, uint64_t now_ns) noexcept {
  if (span->bytes > kLargest) return false;
  TryGuard guard(lock_);
  if (!guard) return false;
  span->freed_ns = now_ns;
  add_to_bin(span);
  span->newer = nullptr;
  span->older = newest_;
  (newest_ ? newest_->newer : oldest_) = span;
  newest_ = span;
  waiting_.store(waiting_bytes() + span->bytes, std::memory_order_relaxed);
  return true;
}

// The rest keeps the age of the whole.
Span* WarmSpans::cut(size_t bytes) noexcept {
  if (waiting_bytes() == 0 || !is_too_much(bytes)) return nullptr;
  TryGuard guard(lock_);
  if (!guard) return nullptr;
  Span* span = oldest_;
  for (int i = 0; span && i < kCutLooks && span->bytes < bytes + kSmallest; ++i) span = span->newer;
  if (!span || span->bytes < bytes + kSmallest) return nullptr;
  auto* rest = reinterpret_cast<Span*>(span->start() + bytes);
  remove_from_bin(span);
  *rest = *span;
  rest->bytes -= bytes;
  add_to_bin(rest);
  (span->older ? span->older->newer : oldest_) = rest;
  (span->newer ? span->newer->older : newest_) = rest;
  span->bytes = bytes;
  waiting_.store(waiting_bytes() - bytes, std::memory_order_relaxed);
  return span;
}

void WarmSpans::add_to_bin(Span* span) noexcept {
  Span*& bin = bins_[bin_of(span->bytes)];
  span->before = nullptr;
  span->after = bin;
  if (bin) bin->before = span;
  bin = span;
}

void WarmSpans::remove_from_bin(Span* span) noexcept {
  (span->before ? span->before->after : bins_[bin_of(span->bytes)]) = span->after;
  if (span->after) span->after->before = span->before;
}

void WarmSpans::remove(Span* span) noexcept {
  remove_from_bin(span);
  (span->older ? span->older->newer : oldest_) = span->newer;
  (span->newer ? span->newer->older : newest_) = span->older;
  waiting_.store(waiting_bytes() - span->bytes, std::memory_order_relaxed);
}

Span* WarmSpans::too_much(uint64_t now_ns, size_t wanted) noexcept {
  if (waiting_bytes() == 0) return nullptr;
  TryGuard guard(lock_);
  if (!guard || !oldest_) return nullptr;
  Span* span = oldest_;
  if (!is_too_much(wanted) && now_ns - span->freed_ns < kPatienceNs) return nullptr;
  remove(span);
  return span;
}

Span* WarmSpans::oldest() noexcept {
  TryGuard guard(lock_);
  if (!guard || !oldest_) return nullptr;
  Span* span = oldest_;
  remove(span);
  return span;
}

void WarmSpans::went_live(size_t bytes) noexcept {
  if (bytes > kLargest) {
    giant_.fetch_add(bytes, std::memory_order_relaxed);
    return;
  }
  uint64_t live = live_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

bool WarmSpans::is_whole_after_fork() noexcept {
  if (lock_.load(std::memory_order_relaxed) == 0) return true;
  for (Span*& bin : bins_) bin = nullptr;
  oldest_ = newest_ = nullptr;
  waiting_.store(0, std::memory_order_relaxed);
  lock_.store(0, std::memory_order_relaxed);
  return false;
}

}  // namespace tenure::inproc
