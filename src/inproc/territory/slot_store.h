// inproc/territory/slot_store.h: the slabs of all classes, where the threads' caches take slots and bring them back.
// World: inside. Any thread; each class has a lock of its own, and nobody waits for it long (see warm_spans.h). Slots
// that come back while it is held go to a list that needs none.
#pragma once
#include <atomic>

#include "inproc/territory/address_ring.h"
#include "inproc/territory/slab.h"

namespace tenure::inproc {

class SlotStore {
 public:
  static constexpr uint32_t kMostEmpty = 16;  // slabs that wait for a class to need them
  static constexpr uint64_t kPatienceNs = 10'000'000'000;

  bool start(uintptr_t base) noexcept;
  bool holds(const void* p) const noexcept { return ring_.holds(p); }
  bool has_memory_at(const void* p) const noexcept { return holds(p) && is_mapped_[index_of(p)]; }
  // Whether the address, which the program got from some heap, is that of a block in a slot.
  bool owns(const void* p) const noexcept;
  // The same for an address from anywhere.
  bool has_block_at(const void* p) const noexcept;
  // Whether one was there that has been given back, and no other is now.
  bool had_block_at(const void* p) const noexcept;

  // Calls f(block) for each block, without locks: in a copy of the process where nothing else runs.
  template <class F>
  void each(F f) const noexcept {
    for (size_t i = 0; i < slab_count_.load(std::memory_order_relaxed); ++i) {
      const Slab* slab = is_mapped_[i] ? slab_at(i) : nullptr;
      if (!slab || !is_slab(slab)) continue;
      for (size_t at = sizeof(Slab); at < slab->fresh_at; at += slot_bytes(slab->size_class)) {
        if (const void* p = slab->block_in(slab->start() + at)) f(p);
      }
    }
  }

  // A chain of up to `count` slots; nullptr: none. `taken` is how many.
  BlockHead* take(uint32_t size_class, uint32_t count, uint32_t* taken) noexcept;
  // Takes a chain back, all of one class.
  void put_back(uint32_t size_class, BlockHead* chain) noexcept;

  // Gives back empty slabs that have waited too long, or all of them. True: something was given back.
  bool decay(uint64_t now_ns) noexcept;
  bool trim() noexcept { return decay(UINT64_MAX); }
  void after_fork_in_child() noexcept;

  uint64_t mapped_bytes() const noexcept {
    return slabs_.load(std::memory_order_relaxed) * kSlabBytes;
  }
  uint64_t idle_bytes() noexcept;  // that the program has touched and does not use

 private:
  struct alignas(64) Class {
    std::atomic<uint8_t> lock{0};
    Slab* slabs = nullptr;    // that have a free slot; guarded by lock, as the next
    uint64_t generation = 0;  // raised when a fork came while the list was being changed
    std::atomic<BlockHead*> late{
        nullptr};  // came back while the lock was held. Release; taken by acquire
  };

  static bool is_slab(const Slab* slab) noexcept;
  const Slab* slab_at(size_t index) const noexcept {
    return reinterpret_cast<const Slab*>(ring_.base() + index * kSlabBytes);
  }
  size_t index_of(const void* p) const noexcept {
    return (reinterpret_cast<uintptr_t>(p) - ring_.base()) / kSlabBytes;
  }
  Slab* map() noexcept;
  Slab* slab_with_room(Class& of, uint32_t size_class) noexcept;
  Slab* fresh_slab(uint32_t size_class) noexcept;
  Slab* pop_empty() noexcept;
  Slab* pop_stale(uint64_t now_ns) noexcept;
  void keep_empty(Slab* slab) noexcept;
  void unmap(Slab* slab) noexcept;
  Slab* return_slots(Class& to, BlockHead* chain) noexcept;

  AddressRing ring_;
  volatile uint8_t* is_mapped_ = nullptr;  // for each slab of the ring
  std::atomic<size_t> slab_count_{
      0};  // of the ring, from its begin, that were ever mapped. Relaxed
  Class classes_[kSlotClasses];
  std::atomic<uint64_t> slabs_{0};  // relaxed: a figure
  std::atomic<uint8_t> empty_lock_{0};
  Slab* empty_ = nullptr;  // the last emptied one first; guarded by empty_lock_, as the next
  uint32_t empty_count_ = 0;
};

}  // namespace tenure::inproc
