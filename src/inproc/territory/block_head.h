// inproc/territory/block_head.h: the sixteen bytes right before every block of the territory.
// World: inside. Plain data; it belongs to whoever has the block.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure::inproc {

inline constexpr size_t round_up(size_t n, size_t to) noexcept { return (n + to - 1) & ~(to - 1); }

// What a chunk of glibc would let the program use of a block of n bytes.
inline constexpr size_t usable_bytes(size_t n) noexcept {
  constexpr size_t kGrain = 16, kHeader = sizeof(size_t), kSmallest = 24;
  return n < kSmallest ? kSmallest : round_up(n + kHeader, kGrain) - kHeader;
}

// The second word lies where glibc keeps the size of a chunk. Its offset is never 0, so whoever reads it as a size sees a
// very big one: `free` needs no further look to tell it from the small chunks of libc.
struct BlockHead {
  static constexpr size_t kGrain = 16;
  static constexpr uint64_t kMostRequested = (uint64_t{1} << 40) - 1;
  static constexpr uint32_t kOfSpan = 63;  // instead of the class of a slot

  BlockHead* next;  // of a free slot
  uint64_t requested : 40;
  uint64_t offset : 10;  // of the block in its span or slot, in grains
  uint64_t size_class : 6;
  uint64_t is_live : 1;
  uint64_t unused : 7;

  size_t offset_bytes() const noexcept { return offset * kGrain; }
};
static_assert(sizeof(BlockHead) == 16);

// By arithmetic on numbers: the compiler takes a block for an object of its own, with nothing before it.
inline BlockHead& head_of(const void* block) noexcept {
  return *reinterpret_cast<BlockHead*>(reinterpret_cast<uintptr_t>(block) - sizeof(BlockHead));
}

}  // namespace tenure::inproc
