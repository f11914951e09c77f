#include "inproc/territory/territory.h"

#include <string.h>

#include "inproc/os/clock.h"

namespace tenure::inproc {

constinit Territory g_territory;

namespace {

constexpr uintptr_t kLiveMark = 0x5e7a11e00f1e1d00;

uintptr_t live_mark(uintptr_t start) noexcept { return start ^ kLiveMark; }

size_t span_alignment(size_t bytes) noexcept { return bytes >= kHugePage ? kHugePage : kSpanPage; }

}  // namespace

// Nullptr for an address that is no live block: freed already, or of somebody who maps memory here.
Span* Territory::span_of(const void* p) const noexcept {
  auto address = reinterpret_cast<uintptr_t>(p);
  size_t offset = head_of(p).offset_bytes();
  if (address % 16 || offset >= 3 * kSpanPage || (address - offset) % kSpanPage) return nullptr;
  auto* span = reinterpret_cast<Span*>(address - offset);
  return ring_.holds(span) && span->check == live_mark(span->start()) ? span : nullptr;
}

const BlockHead* Territory::released_at(const void* p) const noexcept {
  if (slots_.holds(p)) return slots_.had_block_at(p) ? &head_of(p) : nullptr;
  if (!ring_.holds(p) || span_of(p)) return nullptr;
  const BlockHead& head = head_of(p);
  auto* span = reinterpret_cast<const Span*>(reinterpret_cast<uintptr_t>(p) - head.offset_bytes());
  bool was_span = head.size_class == BlockHead::kOfSpan && ring_.holds(span) && span->check == 0;
  return was_span ? &head : nullptr;
}

void* Territory::place(Span* span, size_t n, size_t alignment) noexcept {
  uint32_t turn = turn_.fetch_add(1, std::memory_order_relaxed);
  size_t offset = coloured_offset(n, alignment, span->bytes, turn);
  span->check = live_mark(span->start());
  void* p = reinterpret_cast<void*>(span->start() + offset);
  head_of(p) = head_for(n, offset, BlockHead::kOfSpan);
  return p;
}

// Also the front of a larger one that would have to go for a fresh one.
Span* Territory::warm_span(size_t bytes, size_t most) noexcept {
  Span* span = warm_.take(bytes, most);
  return span ? span : warm_.cut(bytes);
}

// The first page is touched, which the span's head is about to do in any case.
bool Territory::has_dear_huge_pages(void* pages, size_t bytes) noexcept {
  uint64_t began = now_ns();
  if (!huge_.are_wanted(bytes, began) || !advise_huge_pages(pages, bytes)) return false;
  *static_cast<volatile char*>(pages) = 0;
  uint64_t now = now_ns();
  return !huge_.took(bytes, now - began, now);
}

Span* Territory::fresh_span(size_t bytes) noexcept {
  decay(bytes);
  auto fresh = [&] { return ring_.map(bytes, span_alignment(bytes)); };
  void* pages = fresh();
  if (!pages && trim()) pages = fresh();
  if (pages && has_dear_huge_pages(pages, bytes)) {
    ring_.unmap(pages, bytes);
    pages = fresh();
  }
  if (!pages) return nullptr;
  auto* span = static_cast<Span*>(pages);
  span->bytes = bytes;
  return span;
}

void* Territory::span_for(size_t n, size_t alignment, bool is_zeroed, size_t most) noexcept {
  if (n > BlockHead::kMostRequested || first_offset(alignment) == 0) return nullptr;
  size_t bytes = span_bytes(n, alignment);
  bool is_wiped = is_zeroed && n <= kLargestWiped;
  Span* span = is_zeroed && !is_wiped ? nullptr : warm_span(bytes, most);
  bool is_warm = span != nullptr;
  if (!span) span = fresh_span(bytes);
  if (!span) return nullptr;
  warm_.went_live(span->bytes);
  void* p = place(span, n, alignment);
  if (is_zeroed && is_warm) memset(p, 0, n);
  return p;
}

void Territory::release_span(void* p) noexcept {
  Span* span = span_of(p);
  warm_.ended(span->bytes);
  span->check = 0;
  if (!warm_.keep(span, now_ns())) unmap(span);
  decay();
}

void* Territory::grow(Span* span, void* p, size_t bytes) noexcept {
  size_t offset = head_of(p).offset_bytes(), old = span->bytes;
  decay(bytes - old);
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

size_t Territory::usable(const void* p) const noexcept {
  const BlockHead& head = head_of(p);
  size_t usable = usable_bytes(head.requested);
  if (head.size_class == BlockHead::kOfSpan) return usable;
  size_t room = slot_bytes(head.size_class) - head.offset_bytes();
  return usable < room ? usable : room;
}

// In place as long as it neither outgrows its slot nor leaves most of it empty.
void* Territory::resized_slot(void* p, size_t n) noexcept {
  BlockHead& head = head_of(p);
  size_t room = class_bytes(head.size_class);
  if (n > room || n < kFrom || n < room / 2) return nullptr;
  head.requested = n;
  return p;
}

// A block that becomes much smaller moves, so that its span is free for another one.
void* Territory::resize(void* p, size_t n) noexcept {
  if (head_of(p).size_class != BlockHead::kOfSpan) return resized_slot(p, n);
  Span* span = span_of(p);
  if (n < kSpansFrom || n > BlockHead::kMostRequested) return nullptr;
  size_t bytes = round_up(head_of(p).offset_bytes() + usable_bytes(n), kSpanPage);
  bool shrinks = n < head_of(p).requested;
  if (shrinks && bytes < span->bytes / 2) return nullptr;
  if (bytes > span->bytes) p = grow(span, p, bytes);
  if (p) head_of(p).requested = n;
  return p;
}

void Territory::shrink(void* p, size_t n) noexcept {
  BlockHead& head = head_of(p);
  head.requested = n;
  if (head.size_class != BlockHead::kOfSpan) return;
  Span* span = span_of(p);
  size_t bytes = round_up(head.offset_bytes() + usable_bytes(n), kSpanPage), old = span->bytes;
  if (bytes >= old) return;
  ring_.unmap(reinterpret_cast<void*>(span->start() + bytes), old - bytes);
  span->bytes = bytes;
  warm_.ended(old);
  warm_.went_live(bytes);
}

void Territory::decay(size_t wanted) noexcept {
  uint64_t now = now_ns();
  while (Span* span = warm_.too_much(now, wanted)) unmap(span);
}

bool Territory::trim() noexcept {
  bool has_gone = slots_.trim();
  for (Span* span; (span = warm_.oldest()) != nullptr; has_gone = true) unmap(span);
  return has_gone;
}

void Territory::after_fork_in_child() noexcept {
  slots_.after_fork_in_child();
  if (warm_.is_whole_after_fork()) trim();
}

}  // namespace tenure::inproc
