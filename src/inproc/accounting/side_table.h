// inproc/accounting/side_table.h: which blocks are alive: address -> site, size, ordinal, beside libc's own blocks.
// World: inside. Any thread; 64 shards, each with its own lock. Memory is our own and grows by doubling.
#pragma once
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

  // Calls f(block) for every live block, without locks: only in a copy of the process where nothing else runs. A block
  // that was just being written when the copy was made may be missing.
  template <class F>
  void each(F f) const noexcept {
    for (const Shard& shard : shards_) {
      for (uint32_t i = 0; shard.slots && i < shard.capacity; ++i) {
        if (shard.slots[i].address) f(shard.slots[i]);
      }
    }
  }

  // The same in the running process, one shard's lock at a time: f must neither block nor allocate.
  template <class F>
  void each_locked(F f) const noexcept {
    for (const Shard& shard : shards_) {
      SpinGuard guard(shard.lock);
      for (uint32_t i = 0; shard.slots && i < shard.capacity; ++i) {
        if (shard.slots[i].address) f(shard.slots[i]);
      }
    }
  }

 private:
  struct alignas(64) Shard {
    mutable std::atomic<uint8_t> lock;
    uint32_t used;      // guarded by lock, as all below
    uint32_t capacity;  // power of two
    LiveBlock* slots;
  };
  static constexpr uint32_t kShards = 64;
  static constexpr uint32_t kFirstCapacity = 512;

  static uint64_t hash(uintptr_t address) noexcept;
  static uint32_t probe(const Shard& shard, uintptr_t address) noexcept;
  static bool grow(Shard& shard) noexcept;
  static void erase(Shard& shard, uint32_t at) noexcept;
  Shard& shard_of(uintptr_t address) noexcept { return shards_[hash(address) >> 58]; }

  Shard shards_[kShards] = {};
};

}  // namespace tenure::inproc
