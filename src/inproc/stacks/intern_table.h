// inproc/stacks/intern_table.h: finds the id of a record by its content, or adds it. Grows with what it holds, so that a
// short program touches few of its pages.
// World: inside. Finding takes no lock; additions take the table's one byte lock. Ids are never removed.
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

  // False: no memory.
  bool start() noexcept {
    Slots first = map_slots(kFirstSlots);
    slots_.store(first.word, std::memory_order_release);
    return first.word != 0;
  }

  // In a forked child, or before anybody reads it.
  void clear() noexcept {
    Slots slots{slots_.load(std::memory_order_relaxed)};
    if (slots.word) zero_pages(slots.begin(), slots.bytes());
    used_ = 0;
    lock_.store(0, std::memory_order_relaxed);
  }

  // `equal(id)` compares content; `make()` writes a record and returns its id, or 0 when there is no room.
  template <class Equal, class Make>
  uint32_t find_or_add(uint64_t hash, Equal equal, Make make) noexcept {
    const auto key = static_cast<uint32_t>(hash);
    // Pairs with the release in grow(). Who still reads a table that was outgrown may miss the newest ids, and asks again.
    if (uint32_t id = Slots{slots_.load(std::memory_order_acquire)}.find(key, equal)) return id;
    SpinGuard guard(lock_, rank_);
    if (uint32_t id = Slots{slots_.load(std::memory_order_relaxed)}.find(key, equal)) return id;
    uint32_t id = make();
    if (id) add(key, id);
    return id;
  }

 private:
  static constexpr uint32_t kFirstSlots = 512;  // one page
  static constexpr uint32_t kSlotsOfLarge =
      64 << 10;  // grows to the double from there on, before to the fourfold

  // A page-aligned address and, in its lowest bits, the binary logarithm of how many slots are there. A slot is an id with
  // its key above it; zeroed slots are empty.
  struct Slots {
    uintptr_t word;

    std::atomic<uint64_t>* begin() const noexcept {
      return reinterpret_cast<std::atomic<uint64_t>*>(word & ~uintptr_t{63});
    }
    uint32_t count() const noexcept { return 1u << (word & 63); }
    uint64_t bytes() const noexcept { return uint64_t{count()} * sizeof(uint64_t); }

    template <class Equal>
    uint32_t find(uint32_t key, Equal& equal) const noexcept {
      const std::atomic<uint64_t>* slots = begin();
      for (uint32_t mask = count() - 1, at = key & mask;; at = (at + 1) & mask) {
        uint64_t slot = slots[at].load(std::memory_order_acquire);  // pairs with put()
        auto id = static_cast<uint32_t>(slot);
        if (id == 0 || (slot >> 32 == key && equal(id))) return id;
      }
    }

    void put(uint32_t key, uint32_t id) const noexcept {
      std::atomic<uint64_t>* slots = begin();
      uint32_t mask = count() - 1, at = key & mask;
      while (slots[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & mask;
      slots[at].store(uint64_t{key} << 32 | id, std::memory_order_release);  // pairs with find()
    }
  };

  static Slots map_slots(uint32_t count) noexcept {
    auto at = reinterpret_cast<uintptr_t>(map_pages(uint64_t{count} * sizeof(uint64_t)));
    return {at ? at | static_cast<uintptr_t>(__builtin_ctz(count)) : 0};
  }

  // Under the lock. Without memory to grow, what finds no slot is made anew each time, until the ledger has no room either.
  void add(uint32_t key, uint32_t id) noexcept {
    Slots slots{slots_.load(std::memory_order_relaxed)};
    if (used_ >= slots.count() / 2) slots = grow(slots);
    if (used_ >= slots.count() - slots.count() / 8) return;
    slots.put(key, id);
    ++used_;
  }

  // The old table stays mapped, since others may be reading it; its pages go back. To them it looks empty then.
  Slots grow(Slots old) noexcept {
    Slots bigger = map_slots(old.count() * (old.count() < kSlotsOfLarge ? 4 : 2));
    if (bigger.word == 0) return old;
    for (uint32_t i = 0; i < old.count(); ++i) {
      uint64_t slot = old.begin()[i].load(std::memory_order_relaxed);
      if (slot) bigger.put(static_cast<uint32_t>(slot >> 32), static_cast<uint32_t>(slot));
    }
    slots_.store(bigger.word, std::memory_order_release);  // pairs with the acquire in find_or_add
    zero_pages(old.begin(), old.bytes());
    return bigger;
  }

  std::atomic<uintptr_t> slots_{0};
  uint32_t used_ = 0;  // guarded by lock_
  std::atomic<uint8_t> lock_{0};
  LockRank rank_;
};

}  // namespace tenure::inproc
