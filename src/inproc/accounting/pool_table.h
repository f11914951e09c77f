// inproc/accounting/pool_table.h: regions that a framework's allocator has from libc and cuts into blocks itself.
// World: inside. Any thread, one lock: regions are few and stay.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {

class PoolTable {
 public:
  // False: there are too many. Its blocks are then part of the region, which counts as a block.
  bool add(uintptr_t start, uint64_t bytes) noexcept;
  // False: no region starts there.
  bool remove(uintptr_t start) noexcept;
  bool covers(uintptr_t address) noexcept;
  bool is_empty() const noexcept { return used_.load(std::memory_order_relaxed) == 0; }
  void restart() noexcept;  // in a forked child: the regions are the parent's

 private:
  static constexpr uint32_t kRegions = 512;
  struct Region {
    uintptr_t start, end;
  };

  std::atomic<uint8_t> lock_{0};
  std::atomic<uint32_t> used_{0};  // changed under lock_; read without it to see that there is none
  Region regions_[kRegions] = {};  // guarded by lock_
};

}  // namespace tenure::inproc
