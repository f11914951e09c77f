#include "inproc/accounting/side_table.h"

#include "base/hash.h"
#include "inproc/os/memory.h"

namespace tenure::inproc {

bool SideTable::start() noexcept {
  for (Shard& shard : shards_) {
    shard.capacity = kFirstCapacity;
    shard.slots = static_cast<LiveBlock*>(map_pages(kFirstCapacity * sizeof(LiveBlock)));
    if (!shard.slots) return false;
  }
  return true;
}

void SideTable::restart() noexcept {
  for (Shard& shard : shards_) {
    shard.lock.store(0, std::memory_order_relaxed);
    shard.used = 0;
    zero_pages(shard.slots, shard.capacity * sizeof(LiveBlock));
  }
}

uint64_t SideTable::hash(uintptr_t address) noexcept { return mix(address >> 4); }

// Slot of the address, or the empty slot where it would go.
uint32_t SideTable::probe(const Shard& shard, uintptr_t address) noexcept {
  uint32_t mask = shard.capacity - 1;
  uint32_t at = static_cast<uint32_t>(hash(address)) & mask;
  while (shard.slots[at].address != 0 && shard.slots[at].address != address) at = (at + 1) & mask;
  return at;
}

bool SideTable::grow(Shard& shard) noexcept {
  Shard bigger;
  bigger.capacity = shard.capacity * 2;
  bigger.slots = static_cast<LiveBlock*>(map_pages(uint64_t{bigger.capacity} * sizeof(LiveBlock)));
  if (!bigger.slots) return false;
  for (uint32_t i = 0; i < shard.capacity; ++i) {
    if (shard.slots[i].address)
      bigger.slots[probe(bigger, shard.slots[i].address)] = shard.slots[i];
  }
  // In this order: another thread may fork in between, and the child must find slots that exist.
  LiveBlock* old = shard.slots;
  uint64_t old_bytes = uint64_t{shard.capacity} * sizeof(LiveBlock);
  __atomic_store_n(&shard.slots, bigger.slots, __ATOMIC_RELEASE);
  __atomic_store_n(&shard.capacity, bigger.capacity, __ATOMIC_RELEASE);
  unmap_pages(old, old_bytes);
  return true;
}

// Closes the gap by moving later entries of the same run back, so that no tombstones are needed.
void SideTable::erase(Shard& shard, uint32_t at) noexcept {
  uint32_t mask = shard.capacity - 1;
  uint32_t hole = at;
  for (uint32_t next = (at + 1) & mask; shard.slots[next].address; next = (next + 1) & mask) {
    uint32_t home = static_cast<uint32_t>(hash(shard.slots[next].address)) & mask;
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    shard.slots[hole] = shard.slots[next];
    hole = next;
  }
  shard.slots[hole] = {};
  --shard.used;
}

bool SideTable::insert(const LiveBlock& block, LiveBlock* older) noexcept {
  Shard& shard = shard_of(block.address);
  SpinGuard guard(shard.lock);
  if (shard.used * 4 >= shard.capacity * 3 && !grow(shard) && shard.used + 1 >= shard.capacity)
    return false;
  LiveBlock& slot = shard.slots[probe(shard, block.address)];
  if (slot.address == 0) ++shard.used;
  *older = slot;
  slot = block;
  return true;
}

bool SideTable::remove(uintptr_t address, LiveBlock* out) noexcept {
  Shard& shard = shard_of(address);
  SpinGuard guard(shard.lock);
  uint32_t at = probe(shard, address);
  if (shard.slots[at].address == 0) return false;
  *out = shard.slots[at];
  erase(shard, at);
  return true;
}

bool SideTable::find(uintptr_t address, LiveBlock* out) noexcept {
  Shard& shard = shard_of(address);
  SpinGuard guard(shard.lock);
  uint32_t at = probe(shard, address);
  *out = shard.slots[at];
  return shard.slots[at].address != 0;
}

}  // namespace tenure::inproc
