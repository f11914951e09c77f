#include "inproc/accounting/side_table.h"

#include "inproc/os/memory.h"

namespace tenure::inproc {

bool SideTable::start() noexcept {
  first_slots_ = static_cast<LiveBlock*>(map_pages(kShards * kFirstCount * sizeof(LiveBlock)));
  if (first_slots_) assign_first_slots();
  return first_slots_ != nullptr;
}

void SideTable::assign_first_slots() noexcept {
  for (uint32_t i = 0; i < kShards; ++i) {
    shards_[i].used = 0;
    shards_[i].set({first_slots_ + i * kFirstCount, kFirstShift});
    shards_[i].version.store(0, std::memory_order_relaxed);
  }
}

void SideTable::restart() noexcept {
  for (Shard& shard : shards_) {
    Slots slots = shard.get();
    if (slots.shift != kFirstShift) unmap_pages(slots.at, slots.count() * sizeof(LiveBlock));
  }
  zero_pages(first_slots_, kShards * kFirstCount * sizeof(LiveBlock));
  assign_first_slots();
}

// Slot of the address, or the empty slot where it would go. Under the lock.
LiveBlock* SideTable::Slots::probe(uint64_t hash, uintptr_t address) const noexcept {
  uint32_t i = home(hash);
  while (at[i].address != 0 && at[i].address != address) i = (i + 1) & last();
  return &at[i];
}

// Whoever frees a block was given it by whoever inserted it, so an entry that exists is visible here unless a writer is
// moving entries; then the answer is "not sure".
bool SideTable::is_surely_absent(uintptr_t address) const noexcept {
  uint64_t h = hash(address);
  const Shard& shard = shard_of(h);
  uint32_t before = shard.version.load(std::memory_order_acquire);
  if (before & 1) return false;
  Slots slots = shard.get();
  for (uint32_t i = slots.home(h);; i = (i + 1) & slots.last()) {
    uintptr_t there = __atomic_load_n(&slots.at[i].address, __ATOMIC_RELAXED);
    if (there == address) return false;
    if (there == 0) break;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return shard.version.load(std::memory_order_relaxed) == before;
}

// The new array is complete before it is shown: another thread may fork in between, and the child reads without locks.
bool SideTable::grow(Shard& shard) noexcept {
  Slots old = shard.get();
  Slots bigger{nullptr, old.shift - 1};
  bigger.at = static_cast<LiveBlock*>(map_pages(bigger.count() * sizeof(LiveBlock)));
  if (!bigger.at) return false;
  for (size_t i = 0; i < old.count(); ++i) {
    uintptr_t address = old.at[i].address;
    if (address) *bigger.probe(hash(address), address) = old.at[i];
  }
  shard.set(bigger);
  // A reader without the lock may still look at the old array: it becomes zeros, but stays mapped. Address space only.
  if (old.shift != kFirstShift) retire_pages(old.at, old.count() * sizeof(LiveBlock));
  return true;
}

// Closes the gap by moving later entries of the same run back, so that no tombstones are needed.
void SideTable::erase(Shard& shard, LiveBlock* slot) noexcept {
  Slots slots = shard.get();
  uint32_t last = slots.last();
  uint32_t hole = static_cast<uint32_t>(slot - slots.at);
  for (uint32_t next = (hole + 1) & last; slots.at[next].address; next = (next + 1) & last) {
    uint32_t wanted = slots.home(hash(slots.at[next].address));
    if (((next - wanted) & last) < ((next - hole) & last)) continue;
    put(slots.at[hole], slots.at[next]);
    hole = next;
  }
  __atomic_store_n(&slots.at[hole].address, 0, __ATOMIC_RELAXED);
  --shard.used;
}

bool SideTable::insert(const LiveBlock& block, LiveBlock* older) noexcept {
  uint64_t h = hash(block.address);
  Shard& shard = shard_of(h);
  Lock lock(shard);
  uint32_t last = shard.get().last();
  if (shard.used > last / 4 * 3 && !grow(shard) && shard.used >= last) return false;
  LiveBlock* slot = shard.get().probe(h, block.address);
  if (slot->address == 0) ++shard.used;
  *older = *slot;
  put(*slot, block);
  return true;
}

bool SideTable::remove(uintptr_t address, LiveBlock* out) noexcept {
  uint64_t h = hash(address);
  Shard& shard = shard_of(h);
  Lock lock(shard);
  LiveBlock* slot = shard.get().probe(h, address);
  if (slot->address == 0) return false;
  *out = *slot;
  erase(shard, slot);
  return true;
}

bool SideTable::find(uintptr_t address, LiveBlock* out) noexcept {
  uint64_t h = hash(address);
  Shard& shard = shard_of(h);
  Lock lock(shard);
  *out = *shard.get().probe(h, address);
  return out->address != 0;
}

}  // namespace tenure::inproc
