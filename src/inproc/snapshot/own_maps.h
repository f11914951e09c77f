// inproc/snapshot/own_maps.h: the mappings a walk keeps its tables in. They come, move and go while it reads the program's
// memory, so it has to know which they are: what lies there is nothing of the program's, and may be gone at the next read.
// World: inside, one thread: the one with the GIL, or the only one of a snapshot's child.
#pragma once
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "inproc/os/memory.h"

namespace tenure::inproc {

// Set once any column or map of the process could not grow: what was built since is not whole.
inline bool g_snapshot_is_short = false;

class OwnMaps {
 public:
  // nullptr: no memory, and g_snapshot_is_short is set.
  void* map(size_t bytes) noexcept {
    long p = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    return noted(p, bytes);
  }

  // The same pages with more behind them, maybe elsewhere; where that is refused they stay as they are.
  void* move(void* from, size_t bytes, size_t more) noexcept {
    long p = syscall(SYS_mremap, from, bytes, more, static_cast<long>(MREMAP_MAYMOVE), nullptr);
    if (p != -1) forget(from);
    return noted(p, more);
  }

  void unmap(void* from, size_t bytes) noexcept {
    syscall(SYS_munmap, from, bytes);
    forget(from);
  }

  // Of those that are known, what is in memory.
  uint64_t resident() const noexcept {
    uint64_t sum = 0;
    for (size_t i = 0; i < used_; ++i)
      sum += resident_bytes(reinterpret_cast<const void*>(ranges_[i].start), ranges_[i].bytes);
    return sum;
  }

  // Where there are too many to know them all, every address may be one of theirs.
  bool may_hold(uint64_t address) const noexcept {
    if (has_lost_some_) return true;
    for (size_t i = 0; i < used_; ++i)
      if (address - ranges_[i].start < ranges_[i].bytes) return true;
    return false;
  }

 private:
  static constexpr size_t kMost = 256;  // a walk has some forty tables
  struct Range {
    uint64_t start, bytes;
  };

  void* noted(long p, size_t bytes) noexcept {
    if (p == -1) {
      g_snapshot_is_short = true;
      return nullptr;
    }
    if (used_ == kMost)
      has_lost_some_ = true;
    else
      ranges_[used_++] = {static_cast<uint64_t>(p), (bytes + kPage - 1) / kPage * kPage};
    return reinterpret_cast<void*>(p);
  }

  void forget(const void* start) noexcept {
    for (size_t i = 0; i < used_; ++i) {
      if (ranges_[i].start != reinterpret_cast<uint64_t>(start)) continue;
      ranges_[i] = ranges_[--used_];
      return;
    }
  }

  static constexpr uint64_t kPage = 4096;

  Range ranges_[kMost] = {};
  size_t used_ = 0;
  bool has_lost_some_ = false;
};

inline constinit OwnMaps g_own_maps;

}  // namespace tenure::inproc
