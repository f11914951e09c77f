// inproc/territory/slot_cache.h: the slots a thread keeps for itself: most blocks of middle size come and go here.
// World: inside, on a hot path. Owned by its thread; a signal handler that finds it busy does without.
// Cost: a block is taken or brought back in about 15 instructions, without a locked one.
#pragma once
#include "inproc/territory/slot_store.h"

namespace tenure::inproc {

class SlotCache {
 public:
  // nullptr: nothing here, ask refill().
  BlockHead* take(uint32_t size_class) noexcept {
    Use use(*this);
    Bin& bin = bins_[size_class];
    if (!use || !bin.first) return nullptr;
    BlockHead* slot = bin.first;
    bin.first = slot->next;
    --bin.count;
    return slot;
  }

  // False: it is full or busy, ask flush().
  bool keep(uint32_t size_class, BlockHead* slot) noexcept {
    Use use(*this);
    Bin& bin = bins_[size_class];
    if (!use || bin.count >= most(size_class)) return false;
    slot->next = bin.first;
    bin.first = slot;
    ++bin.count;
    return true;
  }

  // One slot, and some more for later. nullptr: refused.
  BlockHead* refill(SlotStore& store, uint32_t size_class) noexcept;
  // Brings half of the class back, and this slot.
  void flush(SlotStore& store, uint32_t size_class, BlockHead* slot) noexcept;
  // The thread ends: brings everything back to where it came from, and keeps nothing any more.
  void close() noexcept;

 private:
  struct Bin {
    BlockHead* first;
    uint32_t count;
  };
  // Keeps signal handlers of the same thread out; other threads never come here.
  class Use {
   public:
    explicit Use(SlotCache& cache) noexcept : cache_(cache), is_first_(!cache.is_busy_) {
      cache_.is_busy_ = true;
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~Use() {
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (is_first_) cache_.is_busy_ = false;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    explicit operator bool() const noexcept { return is_first_; }

   private:
    SlotCache& cache_;
    bool is_first_;
  };

  static constexpr size_t kBytesPerClass = 128 << 10;
  static constexpr uint32_t kFewest = 2, kMost = 64;

  uint32_t most(uint32_t size_class) const noexcept {
    if (is_closed_) return 0;
    auto fitting = static_cast<uint32_t>(kBytesPerClass / slot_bytes(size_class));
    return fitting < kFewest ? kFewest : fitting > kMost ? kMost : fitting;
  }

  Bin bins_[kSlotClasses] = {};
  bool is_busy_ = false;
  SlotStore* store_ =
      nullptr;  // slots come from it; null: the thread does not know yet that we must be closed
  bool is_closed_ = false;
};

extern thread_local constinit SlotCache g_slot_cache __attribute__((visibility("hidden")));

}  // namespace tenure::inproc
