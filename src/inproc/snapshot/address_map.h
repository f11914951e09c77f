// inproc/snapshot/address_map.h: address -> number, for millions of addresses. Open addressing, 12 bytes a slot, at most
// 60 % full; nothing is ever taken out.
// World: inside, one thread; memory as in column.h.
#pragma once
#include "inproc/snapshot/column.h"

namespace tenure::inproc {

class AddressMap {
 public:
  static constexpr uint32_t kNone = ~0u;

  uint32_t find(uint64_t key) const noexcept {
    if (!slots_) return kNone;
    size_t at = slot_of(key);
    return keys_[at] ? numbers_[at] : kNone;
  }

  // The number of the key; `fresh` if it had none. nullptr: no memory. The pointer is good until the next call.
  uint32_t* find_or_add(uint64_t key, bool* fresh) noexcept {
    if (used_ * 10 >= slots_ * 6 && !grow()) return nullptr;
    size_t at = slot_of(key);
    *fresh = keys_[at] == 0;
    if (*fresh) {
      keys_[at] = key;
      ++used_;
    }
    return &numbers_[at];
  }

  size_t size() const noexcept { return used_; }
  void release() noexcept {
    if (slots_) {
      g_own_maps.unmap(keys_, slots_ * sizeof(uint64_t));
      g_own_maps.unmap(numbers_, slots_ * sizeof(uint32_t));
    }
    *this = AddressMap();
  }

 private:
  static constexpr size_t kFirstSlots = 1 << 14;

  static size_t hash(uint64_t key) noexcept {
    return static_cast<size_t>((key >> 3) * 0x9E3779B97F4A7C15ull >> 20);
  }

  size_t slot_of(uint64_t key) const noexcept {
    size_t at = hash(key) & (slots_ - 1);
    while (keys_[at] && keys_[at] != key) at = (at + 1) & (slots_ - 1);
    return at;
  }

  bool grow() noexcept {
    AddressMap bigger;
    bigger.slots_ = slots_ ? slots_ * 2 : kFirstSlots;
    bigger.keys_ = static_cast<uint64_t*>(g_own_maps.map(bigger.slots_ * sizeof(uint64_t)));
    bigger.numbers_ = static_cast<uint32_t*>(g_own_maps.map(bigger.slots_ * sizeof(uint32_t)));
    if (!bigger.keys_ || !bigger.numbers_) return false;
    for (size_t i = 0; i < slots_; ++i) {
      if (!keys_[i]) continue;
      size_t at = bigger.slot_of(keys_[i]);
      bigger.keys_[at] = keys_[i];
      bigger.numbers_[at] = numbers_[i];
    }
    bigger.used_ = used_;
    release();
    *this = bigger;
    return true;
  }

  uint64_t* keys_ = nullptr;  // 0: empty slot
  uint32_t* numbers_ = nullptr;
  size_t slots_ = 0;  // power of two
  size_t used_ = 0;
};

}  // namespace tenure::inproc
