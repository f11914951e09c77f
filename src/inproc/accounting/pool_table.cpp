#include "inproc/accounting/pool_table.h"

namespace tenure::inproc {

bool PoolTable::add(uintptr_t start, uint64_t bytes) noexcept {
  SpinGuard guard(lock_, LockRank::mappings);
  uint32_t used = used_.load(std::memory_order_relaxed);
  if (used == kRegions) return false;
  regions_[used] = {start, start + bytes};
  used_.store(used + 1, std::memory_order_relaxed);
  return true;
}

bool PoolTable::remove(uintptr_t start) noexcept {
  SpinGuard guard(lock_, LockRank::mappings);
  uint32_t used = used_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < used; ++i) {
    if (regions_[i].start != start) continue;
    regions_[i] = regions_[used - 1];
    used_.store(used - 1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

bool PoolTable::covers(uintptr_t address) noexcept {
  if (is_empty()) return false;
  SpinGuard guard(lock_, LockRank::mappings);
  for (uint32_t i = 0; i < used_.load(std::memory_order_relaxed); ++i) {
    if (address >= regions_[i].start && address < regions_[i].end) return true;
  }
  return false;
}

void PoolTable::restart() noexcept {
  lock_.store(0, std::memory_order_relaxed);
  used_.store(0, std::memory_order_relaxed);
}

}  // namespace tenure::inproc
