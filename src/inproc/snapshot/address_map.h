// inproc/snapshot/address_map.h: address -> number, for millions of addresses. Open addressing, 16 bytes a slot, so that a
// lookup meets one cache line; at most 60 % full; nothing is ever taken out.
// World: inside, one thread; memory as in column.h.
#pragma once
#include "inproc/snapshot/column.h"

namespace tenure::inproc {

class AddressMap {
 public:
  static constexpr uint32_t kNone = ~0u;

  uint32_t find(uint64_t key) const noexcept {
    if (!slots_) return kNone;
    const Slot& slot = slots_[slot_of(key)];
    return slot.key ? slot.number : kNone;
  }

  // The number of the key; `fresh` if it had none. nullptr: no memory. The pointer is good until the next call.
  uint32_t* find_or_add(uint64_t key, bool* fresh) noexcept {
    if (used_ * 10 >= count_ * 6 && !grow_to(count_ ? count_ * 2 : kFirstSlots)) return nullptr;
    Slot& slot = slots_[slot_of(key)];
    *fresh = slot.key == 0;
    if (*fresh) {
      slot.key = key;
      ++used_;
    }
    return &slot.number;
  }

  // Room for so many without growing.
  void reserve(size_t keys) noexcept {
    size_t count = kFirstSlots;
    while (count * 6 < keys * 10) count *= 2;
    if (count > count_) grow_to(count);
  }

  // Before a lookup some steps later.
  void prefetch(uint64_t key) const noexcept {
    if (slots_) __builtin_prefetch(&slots_[hash(key) & (count_ - 1)]);
  }

  size_t size() const noexcept { return used_; }
  void release() noexcept {
    if (slots_) g_own_maps.unmap(slots_, count_ * sizeof(Slot));
    *this = AddressMap();
  }

 private:
  static constexpr size_t kFirstSlots = 1 << 12;

  struct Slot {
    uint64_t key;  // 0: empty
    uint32_t number;
  };

  static size_t hash(uint64_t key) noexcept {
    return static_cast<size_t>((key >> 3) * 0x9E3779B97F4A7C15ull >> 20);
  }

  size_t slot_of(uint64_t key) const noexcept {
    size_t at = hash(key) & (count_ - 1);
    while (slots_[at].key && slots_[at].key != key) at = (at + 1) & (count_ - 1);
    return at;
  }

  bool grow_to(size_t count) noexcept {
    AddressMap bigger;
    bigger.count_ = count;
    bigger.slots_ = static_cast<Slot*>(g_own_maps.map(count * sizeof(Slot)));
    if (!bigger.slots_) return false;
    for (size_t i = 0; i < count_; ++i) {
      if (slots_[i].key) bigger.slots_[bigger.slot_of(slots_[i].key)] = slots_[i];
    }
    bigger.used_ = used_;
    release();
    *this = bigger;
    return true;
  }

  Slot* slots_ = nullptr;
  size_t count_ = 0;  // of the slots: a power of two
  size_t used_ = 0;
};

}  // namespace tenure::inproc
