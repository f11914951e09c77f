#include "inproc/territory/territory.h"

#include <string.h>

#include "inproc/os/clock.h"

namespace tenure::inproc {

constinit Territory g_territory;

namespace {

constexpr uintptr_t kLiveMark = 0x5e7a11e00f1e1d00;
constexpr size_t kHugeFrom = 4 << 20;  // as NumPy does for its arrays

uintptr_t live_mark(uintptr_t start) noexcept { return start ^ kLiveMark; }

size_t span_alignment(size_t bytes) noexcept { return bytes >= kHugePage ? kHugePage : kSpanPage; }

}  // namespace

// Nullptr for an address that is no live block: freed already, or of somebody who maps memory here.
Span* Territory::span_of(const void* p) const noexcept {
  auto address = reinterpret_cast<uintptr_t>(p);
  size_t offset = head_of(p).offset;
  if (address % 16 || offset >= 3 * kSpanPage || (address - offset) % kSpanPage) return nullptr;
  auto* span = reinterpret_cast<Span*>(address - offset);
  return ring_.holds(span) && span->check == live_mark(span->start()) ? span : nullptr;
}

void* Territory::place(Span* span, size_t n, size_t alignment) noexcept {
  uint32_t turn = turn_.fetch_add(1, std::memory_order_relaxed);
  size_t offset = coloured_offset(n, alignment, span->bytes, turn);
  span->check = live_mark(span->start());
  void* p = reinterpret_cast<void*>(span->start() + offset);
  head_of(p) = {offset, n};
  return p;
}

Span* Territory::fresh_span(size_t bytes) noexcept {
  decay(bytes);
  void* pages = ring_.map(bytes, span_alignment(bytes));
  if (!pages && trim()) pages = ring_.map(bytes, span_alignment(bytes));
  if (!pages) return nullptr;
  if (bytes >= kHugeFrom) advise_huge_pages(pages, bytes);
  auto* span = static_cast<Span*>(pages);
  span->bytes = bytes;
  return span;
}

void* Territory::allocate(size_t n, size_t alignment, bool is_zeroed) noexcept {
  if (n < kFrom || !is_on() || n > AddressRing::kBytes / 4 || first_offset(alignment) == 0)
    return nullptr;
  size_t bytes = span_bytes(n, alignment);
  bool is_wiped = is_zeroed && n <= kLargestWiped;
  Span* span = is_zeroed && !is_wiped ? nullptr : warm_.take(bytes);
  bool is_warm = span != nullptr;
  if (!span) span = fresh_span(bytes);
  if (!span) return nullptr;
  warm_.went_live(span->bytes);
  void* p = place(span, n, alignment);
  if (is_zeroed && is_warm) memset(p, 0, n);
  return p;
}

void Territory::release(void* p) noexcept {
  Span* span = span_of(p);
  warm_.ended(span->bytes);
  span->check = 0;
  if (!warm_.keep(span, now_ns())) unmap(span);
  decay();
}

void* Territory::grow(Span* span, void* p, size_t bytes) noexcept {
  size_t offset = head_of(p).offset, old = span->bytes;
  if (!ring_.extend(span->end(), bytes - old)) {
    void* moved = ring_.move(span, old, bytes);
    if (!moved) return nullptr;
    span = static_cast<Span*>(moved);
    span->check = live_mark(span->start());
  }
  span->bytes = bytes;
  warm_.ended(old);
  warm_.went_live(bytes);
  return reinterpret_cast<void*>(span->start() + offset);
}

// A block that becomes much smaller moves, so that its span is free for another one.
void* Territory::resize(void* p, size_t n) noexcept {
  Span* span = span_of(p);
  if (n < kFrom || n > AddressRing::kBytes / 4) return nullptr;
  size_t bytes = round_up(head_of(p).offset + usable_bytes(n), kSpanPage);
  if (bytes < span->bytes / 2) return nullptr;
  if (bytes > span->bytes) p = grow(span, p, bytes);
  if (p) head_of(p).requested = n;
  return p;
}

void Territory::decay(size_t wanted) noexcept {
  if (warm_.waiting_bytes() == 0) return;
  uint64_t now = now_ns();
  while (Span* span = warm_.too_much(now, wanted)) unmap(span);
}

bool Territory::trim() noexcept {
  bool has_gone = false;
  for (Span* span; (span = warm_.oldest()) != nullptr; has_gone = true) unmap(span);
  return has_gone;
}

void Territory::after_fork_in_child() noexcept {
  if (warm_.is_whole_after_fork()) trim();
}

}  // namespace tenure::inproc
