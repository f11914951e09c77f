// inproc/stacks/intern_table.h: finds the id of a record by its content, or adds it.
// World: inside. find() takes no lock; additions take the table's one byte lock. Ids are never removed.
#pragma once
#include <atomic>
#include <cstdint>

#include "inproc/os/memory.h"
#include "inproc/os/spin_lock.h"

namespace tenure::inproc {

class InternTable {
 public:
  // `rank`: of its lock; a table whose records need those of another comes before that one.
  constexpr explicit InternTable(LockRank rank = LockRank::interned) noexcept : rank_(rank) {}

  // `slots` is a power of two, at least twice the ids expected. Zeroed slots are empty.
  bool start(uint32_t slots) noexcept {
    slots_ = static_cast<std::atomic<uint32_t>*>(map_pages(uint64_t{slots} * sizeof(uint32_t)));
    mask_ = slots - 1;
    return slots_ != nullptr;
  }

  void clear() noexcept {
    zero_pages(slots_, (uint64_t{mask_} + 1) * sizeof(uint32_t));
    lock_.store(0, std::memory_order_relaxed);
  }

  // `equal(id)` compares content; `make()` writes a record and returns its id, or 0 when there is no room.
  template <class Equal, class Make>
  uint32_t find_or_add(uint64_t hash, Equal equal, Make make) noexcept {
    uint32_t at = static_cast<uint32_t>(hash) & mask_;
    if (uint32_t id = find_from(at, equal)) return id;
    SpinGuard guard(lock_, rank_);
    if (uint32_t id = find_from(at, equal)) return id;
    uint32_t id = make();
    if (id) slots_[at].store(id, std::memory_order_release);  // pairs with the acquire in find_from
    return id;
  }

 private:
  // Leaves `at` at the empty slot when nothing equal was met.
  template <class Equal>
  uint32_t find_from(uint32_t& at, Equal& equal) const noexcept {
    for (;; at = (at + 1) & mask_) {
      uint32_t id = slots_[at].load(std::memory_order_acquire);
      if (id == 0 || equal(id)) return id;
    }
  }

  std::atomic<uint32_t>* slots_ = nullptr;
  uint32_t mask_ = 0;
  std::atomic<uint8_t> lock_{0};
  LockRank rank_;
};

}  // namespace tenure::inproc
