// inproc/territory/slab.h: one mapped piece of the territory cut into slots of one size, for blocks of middle size.
// World: inside. Plain data and arithmetic; the lock of its class guards it.
//
//   | Slab | slot | slot | ... | slot |        slot: | BlockHead | block ...... |
#pragma once
#include <initializer_list>

#include "inproc/territory/block_head.h"

namespace tenure::inproc {

inline constexpr size_t kSlotsFrom = 1024;
inline constexpr size_t kSlotsTo = 128 << 10;  // bigger blocks have spans of their own
inline constexpr uint32_t kSlotClasses = 57;
inline constexpr size_t kSlabBytes = 1 << 20;  // and aligned to it

// Eight classes per doubling: at most an eighth is wasted.
inline constexpr uint32_t slot_class(size_t n) noexcept {
  size_t m = n - 1;
  uint32_t log = 63 - static_cast<uint32_t>(__builtin_clzl(m));
  return (log - 10) * 8 + static_cast<uint32_t>(m >> (log - 3)) - 7;
}
inline constexpr size_t class_bytes(uint32_t size_class) noexcept {
  return size_t{8 + (size_class & 7)} << (7 + (size_class >> 3));
}
// A block of malloc lies at 16 modulo 64 in its slot, an aligned one at 64.
inline constexpr size_t slot_bytes(uint32_t size_class) noexcept {
  return class_bytes(size_class) + 64;
}
inline constexpr size_t kPlainOffset = 16, kAlignedOffset = 64;
inline constexpr size_t slot_offset(size_t alignment) noexcept {
  return alignment <= 16 ? kPlainOffset : kAlignedOffset;
}
static_assert(slot_class(kSlotsFrom) == 0 && slot_class(kSlotsTo) == kSlotClasses - 1);

struct Slab {
  uintptr_t check;  // made of its address: a stray pointer leads to no slab
  uint32_t size_class;
  uint32_t used;    // slots that are handed out
  size_t fresh_at;  // offset of the first slot that was never handed out
  BlockHead* free;  // slots that came back
  Slab* next;       // in the list of its class, or of the empty ones
  Slab* before;
  uint64_t emptied_ns;
  uint64_t generation;  // of its class; another one: the list it was in is lost

  uintptr_t start() const noexcept { return reinterpret_cast<uintptr_t>(this); }
  bool has_fresh() const noexcept { return fresh_at + slot_bytes(size_class) <= kSlabBytes; }
  bool is_full() const noexcept { return !free && !has_fresh(); }
  size_t idle_bytes() const noexcept {  // touched by the program at some time, and free now
    return fresh_at - sizeof(Slab) - used * slot_bytes(size_class);
  }
  // The block in the slot that begins here; nullptr: none.
  void* block_in(uintptr_t slot) const noexcept {
    for (size_t offset : {kPlainOffset, kAlignedOffset}) {
      auto* p = reinterpret_cast<void*>(slot + offset);
      const BlockHead& head = head_of(p);
      if (head.is_live && head.size_class == size_class && head.offset_bytes() == offset) return p;
    }
    return nullptr;
  }
  // A slot holds no block: wherever a head could be, it says so.
  static void clear(BlockHead* slot) noexcept {
    for (size_t offset : {kPlainOffset, kAlignedOffset})
      head_of(reinterpret_cast<char*>(slot) + offset).is_live = 0;
  }
  static Slab* of(const void* p) noexcept {
    return reinterpret_cast<Slab*>(reinterpret_cast<uintptr_t>(p) & ~(kSlabBytes - 1));
  }
};
static_assert(sizeof(Slab) == 64);

}  // namespace tenure::inproc
