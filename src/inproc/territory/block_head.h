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

// What the accounting knows of a block in a slot; the territory only keeps it.
struct BlockNote {
  uint32_t site;
  uint32_t ordinal;
};

// The second word lies where glibc keeps the size of a chunk. Its offset is never 0, so whoever reads it as a size sees a
// very big one: `free` needs no further look to tell it from the small chunks of libc.
struct BlockHead {
  static constexpr size_t kGrain = 16;
  static constexpr uint64_t kMostRequested = (uint64_t{1} << 38) - 1;
  static constexpr uint32_t kOfSpan = 63;  // instead of the class of a slot
  static constexpr uint32_t kGenerations = 32;

  union {
    BlockHead* next;  // of a free slot
    BlockNote note;   // of a noted one
  };
  uint64_t requested : 38;
  uint64_t offset : 10;  // of the block in its span or slot, in grains
  uint64_t size_class : 6;
  uint64_t is_live : 1;
  uint64_t is_noted : 1;
  uint64_t kind : 3;        // of a noted one, as the accounting calls it
  uint64_t generation : 5;  // of a noted one: forks until then. The notes of a parent are not ours

  size_t offset_bytes() const noexcept { return offset * kGrain; }
};
static_assert(sizeof(BlockHead) == 16);

// By arithmetic on numbers: the compiler takes a block for an object of its own, with nothing before it.
inline BlockHead& head_of(const void* block) noexcept {
  return *reinterpret_cast<BlockHead*>(reinterpret_cast<uintptr_t>(block) - sizeof(BlockHead));
}

}  // namespace tenure::inproc
