// inproc/territory/span.h: one mapped piece of the territory. It holds one block, or is warm and waits for the next.
// World: inside. Plain data and arithmetic; a span belongs to whoever has its block, a waiting one to the warm spans.
//
//   | Span | ... colour ... | BlockHead | block ................ | rest of the last page |
#pragma once
#include "inproc/territory/block_head.h"

namespace tenure::inproc {

inline constexpr size_t kSpanPage = 4096;
inline constexpr size_t kHugePage = 2 << 20;

struct Span {
  uintptr_t check;  // made of its address: a stray pointer into the territory leads to no span
  size_t bytes;     // all of it, whole pages
  // While it waits: its neighbours by age, and in its bin.
  Span* newer;
  Span* older;
  Span* before;
  Span* after;
  uint64_t freed_ns;
  uint64_t unused;

  uintptr_t start() const noexcept { return reinterpret_cast<uintptr_t>(this); }
  uintptr_t end() const noexcept { return start() + bytes; }
};
static_assert(sizeof(Span) == 64);

// Where in a span a block of this alignment begins. glibc's big blocks lie at 16 modulo 64, and what JAX and TensorFlow do
// with an array depends on it. 0: blocks of this alignment are not for us.
inline constexpr size_t first_offset(size_t alignment) noexcept {
  constexpr size_t kHeads = sizeof(Span) + sizeof(BlockHead);
  if (alignment <= 16) return kHeads;
  return alignment <= kSpanPage ? round_up(kHeads, alignment) : 0;
}
static_assert(first_offset(16) % 64 == 16);

inline constexpr size_t span_bytes(size_t n, size_t alignment) noexcept {
  return round_up(usable_bytes(n) + first_offset(alignment), kSpanPage);
}

// Several arrays that a loop reads side by side should not begin at the same place of a page: `turn` counts blocks, and
// what is left of the last page is used to spread them.
inline constexpr size_t coloured_offset(size_t n, size_t alignment, size_t span,
                                        uint32_t turn) noexcept {
  size_t first = first_offset(alignment), step = alignment < 64 ? 64 : alignment;
  size_t room = (span - first - usable_bytes(n)) / step;
  size_t most = kSpanPage / step - 1;
  return first + turn * 5 % ((room < most ? room : most) + 1) * step;
}

}  // namespace tenure::inproc
