#include "inproc/territory/address_ring.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inproc/os/memory.h"
#include "inproc/territory/span.h"

namespace tenure::inproc {
namespace {

constexpr int kFixedNoReplace = 0x100000;  // MAP_FIXED_NOREPLACE, Linux 4.17
constexpr int kMostTries = 12;             // each skips twice as much: 128 GiB in the end
constexpr size_t kFirstSkip = 64 << 20;

// Far below what the kernel gives out by itself, and above what sanitizers and language runtimes take for themselves.
#if defined(__SANITIZE_THREAD__)
constexpr uintptr_t kLowest = uintptr_t{16} << 30;
constexpr int kRandomBits = 0;
#else
constexpr uintptr_t kLowest = uintptr_t{32} << 40;
constexpr int kRandomBits = 13;
#endif
constexpr int kRandomShift = 32;  // steps of 4 GiB

// An older kernel takes the address for a wish: then it is not ours.
bool map_at(uintptr_t at, size_t bytes, int protection) noexcept {
  long p = syscall(SYS_mmap, at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | kFixedNoReplace,
                   -1, 0L);
  if (p == -1) return false;
  if (static_cast<uintptr_t>(p) == at) return true;
  syscall(SYS_munmap, p, bytes);
  errno = EEXIST;
  return false;
}

}  // namespace

uintptr_t random_base() noexcept {
  uint32_t bits = 0;
  auto random = reinterpret_cast<const char*>(getauxval(AT_RANDOM));
  if (random) memcpy(&bits, random + 8, sizeof bits);
  return kLowest + (uintptr_t{bits & ((1u << kRandomBits) - 1)} << kRandomShift);
}

bool AddressRing::start(uintptr_t base, size_t bytes) noexcept {
  ErrnoKeeper keep;
  if (!map_at(base, kSpanPage, PROT_READ | PROT_WRITE)) return false;
  syscall(SYS_munmap, base, kSpanPage);
  next_.store(base, std::memory_order_relaxed);
  base_ = base;
  bytes_ = bytes;
  return true;
}

uintptr_t AddressRing::claim(size_t bytes, size_t alignment) noexcept {
  uintptr_t was = next_.load(std::memory_order_relaxed), at;
  do {
    at = round_up(was, alignment);
    if (bytes > bytes_ || at - base_ > bytes_ - bytes) at = base_;
  } while (!next_.compare_exchange_weak(was, at + bytes, std::memory_order_relaxed));
  return at;
}

void* AddressRing::map(size_t bytes, size_t alignment, size_t room) noexcept {
  if (bytes + room > bytes_ / 2) return nullptr;
  ErrnoKeeper keep;
  size_t skip = kFirstSkip;
  for (int i = 0; i < kMostTries; ++i, skip *= 2) {
    uintptr_t at = claim(bytes + room, alignment);
    if (map_at(at, bytes, PROT_READ | PROT_WRITE)) return reinterpret_cast<void*>(at);
    if (errno != EEXIST) break;
    claim(skip, kSpanPage);
  }
  return nullptr;
}

bool AddressRing::extend(uintptr_t end, size_t more) noexcept {
  ErrnoKeeper keep;
  if (end + more - base_ > bytes_ || !map_at(end, more, PROT_READ | PROT_WRITE)) return false;
  uintptr_t was = end;
  next_.compare_exchange_strong(was, end + more, std::memory_order_relaxed);
  return true;
}

// The new place is claimed by an empty mapping first: mremap would take it from whoever else is there.
void* AddressRing::move(void* p, size_t bytes, size_t now) noexcept {
  ErrnoKeeper keep;
  void* to = map(now, now >= kHugePage ? kHugePage : kSpanPage, now);
  if (!to) return nullptr;
  long moved = syscall(SYS_mremap, p, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  if (moved != -1) return to;
  unmap(to, now);
  return nullptr;
}

// Refused only where it would make one mapping too many: then at least the pages go.
void AddressRing::unmap(void* p, size_t bytes) noexcept {
  ErrnoKeeper keep;
  if (syscall(SYS_munmap, p, bytes) != 0) syscall(SYS_madvise, p, bytes, MADV_DONTNEED);
}

bool advise_huge_pages(void* p, size_t bytes) noexcept {
  uintptr_t start = round_up(reinterpret_cast<uintptr_t>(p), kHugePage);
  uintptr_t end = (reinterpret_cast<uintptr_t>(p) + bytes) & ~(kHugePage - 1);
  ErrnoKeeper keep;
  return end > start && syscall(SYS_madvise, start, end - start, MADV_HUGEPAGE) == 0;
}

}  // namespace tenure::inproc
