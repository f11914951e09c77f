// inproc/accounting/side_table.h: which blocks are alive: address -> site, size, ordinal, beside libc's own blocks.
// World: inside. Any thread; 64 shards, each with its own lock. Memory is our own and grows by doubling.
// Under the governor most blocks that are freed are not there; to see that takes no lock.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "inproc/os/spin_lock.h"
#include "ledger/layout.h"

namespace tenure::inproc {

struct LiveBlock {
  uintptr_t address;    // 0: empty slot
  uint64_t bytes : 56;  // what the caller asked for
  uint64_t kind : 8;    // ledger::BlockKind
  SiteId site;
  uint32_t ordinal;  // among the births of its site
};
static_assert(sizeof(LiveBlock) == 24);

class SideTable {
 public:
  bool start() noexcept;
  void restart() noexcept;  // forgets every block: they are the parent's

  // False: no memory for the entry. `older` is what the table still had at that address, address 0 if nothing.
  bool insert(const LiveBlock& block, LiveBlock* older) noexcept;
  bool remove(uintptr_t address, LiveBlock* out) noexcept;
  bool find(uintptr_t address, LiveBlock* out) noexcept;
  // Without the lock; false when it is there, or when somebody is changing the shard. For whoever owns the block.
  bool is_surely_absent(uintptr_t address) const noexcept;

  // Calls f(block) for every live block, without locks: only in a copy of the process where nothing else runs. A block
  // that was just being written when the copy was made may be missing.
  template <class F>
  void each(F f) const noexcept {
    for (const Shard& shard : shards_) each_in(shard, f);
  }

  // The same in the running process, one shard's lock at a time: f must neither block nor allocate.
  template <class F>
  void each_locked(F f) const noexcept {
    for (const Shard& shard : shards_) {
      Lock lock(shard);
      each_in(shard, f);
    }
  }

 private:
  // Capacity and slots of a shard; a smaller capacity than the slots have is safe to read with.
  struct Slots {
    LiveBlock* at;
    uint32_t shift;  // 64 - log2 of the capacity

    size_t count() const noexcept { return size_t{last()} + 1; }
    uint32_t last() const noexcept { return static_cast<uint32_t>(UINT64_MAX >> shift); }
    // The highest bits of the hash choose the shard, the next ones the slot.
    uint32_t home(uint64_t hash) const noexcept {
      return static_cast<uint32_t>((hash << kShardBits) >> shift);
    }
    LiveBlock* probe(uint64_t hash, uintptr_t address) const noexcept;
  };

  // Odd `version`: locked. Whoever reads without the lock believes what it saw only if the version is even and unchanged.
  struct alignas(64) Shard {
    mutable std::atomic<uint32_t> version;
    uint32_t used;                  // guarded by the lock
    std::atomic<LiveBlock*> slots;  // changed under the lock; an old array stays mapped, as zeros
    std::atomic<uint32_t> shift;    // written after `slots`, read before it

    Slots get() const noexcept {
      uint32_t read_first = shift.load(std::memory_order_acquire);
      return {slots.load(std::memory_order_relaxed), read_first};
    }
    void set(const Slots& now) noexcept {
      slots.store(now.at, std::memory_order_relaxed);
      shift.store(now.shift, std::memory_order_release);
    }
  };

  // Makes the version odd; acquire pairs with the release of the one before us.
  class Lock {
   public:
    explicit Lock(const Shard& shard) noexcept : version_(shard.version) {
      for (SpinWait wait;; wait.once()) {
        locked_ = version_.load(std::memory_order_relaxed) | 1;
        uint32_t free = locked_ - 1;
        if (version_.compare_exchange_weak(free, locked_, std::memory_order_acquire)) break;
      }
      std::atomic_thread_fence(std::memory_order_release);  // no write is seen before "odd"
    }
    ~Lock() { version_.store(locked_ + 1, std::memory_order_release); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    [[no_unique_address]] LockOrder order_{LockRank::live_blocks};
    std::atomic<uint32_t>& version_;
    uint32_t locked_;
  };

  static constexpr uint32_t kShardBits = 6;
  static constexpr uint32_t kShards = 1 << kShardBits;
  static constexpr uint32_t kFirstShift = 64 - 6;  // 64 blocks a shard: 96 KiB together
  static constexpr size_t kFirstCount = size_t{1} << (64 - kFirstShift);

  template <class F>
  static void each_in(const Shard& shard, F& f) noexcept {
    Slots slots = shard.get();
    for (size_t i = 0; slots.at && i < slots.count(); ++i) {
      if (slots.at[i].address) f(slots.at[i]);
    }
  }

  static uint64_t hash(uintptr_t address) noexcept {
    return (address >> 4) * 0x9e3779b97f4a7c15ull;
  }
  // Readers without the lock look at addresses only.
  static void put(LiveBlock& slot, const LiveBlock& block) noexcept {
    slot.bytes = block.bytes;
    slot.kind = block.kind;
    slot.site = block.site;
    slot.ordinal = block.ordinal;
    __atomic_store_n(&slot.address, block.address, __ATOMIC_RELAXED);
  }
  static bool grow(Shard& shard) noexcept;
  static void erase(Shard& shard, LiveBlock* slot) noexcept;
  void assign_first_slots() noexcept;
  const Shard& shard_of(uint64_t hash) const noexcept { return shards_[hash >> (64 - kShardBits)]; }
  Shard& shard_of(uint64_t hash) noexcept { return shards_[hash >> (64 - kShardBits)]; }

  LiveBlock* first_slots_ = nullptr;
  Shard shards_[kShards] = {};
};

}  // namespace tenure::inproc
