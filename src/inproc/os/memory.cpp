#include "inproc/os/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {
namespace {

constexpr int kWipeOnFork = 18;     // MADV_WIPEONFORK
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14
constexpr size_t kPageBytes = 4096;
constexpr size_t kHugePageBytes = 2 << 20;

// The mappings given out, so that their touched pages can be counted. A mapping that finds no place here (threads have
// one each) is small and counts as touched.
class MappingList {
 public:
  void add(void* p, size_t bytes) noexcept {
    SpinGuard guard(lock_, LockRank::own_memory);
    mapped_.fetch_add(bytes, std::memory_order_relaxed);
    if (used_ == kMost)
      unlisted_ += bytes;
    else
      mappings_[used_++] = {p, bytes};
  }

  void remove(void* p, size_t bytes) noexcept {
    SpinGuard guard(lock_, LockRank::own_memory);
    for (int i = 0; i < used_; ++i) {
      if (mappings_[i].start != p) continue;
      mappings_[i] = mappings_[--used_];
      return;
    }
    unlisted_ -= bytes;
  }

  // Under the lock, so that nothing is unmapped meanwhile.
  uint64_t resident() noexcept {
    SpinGuard guard(lock_, LockRank::own_memory);
    uint64_t sum = unlisted_;
    for (int i = 0; i < used_; ++i) sum += resident_bytes(mappings_[i].start, mappings_[i].bytes);
    return sum;
  }

  uint64_t mapped() const noexcept { return mapped_.load(std::memory_order_relaxed); }
  void unmapped(size_t bytes) noexcept { mapped_.fetch_sub(bytes, std::memory_order_relaxed); }
  void unlock() noexcept { lock_.store(0, std::memory_order_relaxed); }

 private:
  struct Mapping {
    void* start;
    size_t bytes;
  };
  static constexpr int kMost = 512;
  std::atomic<uint8_t> lock_{0};
  int used_ = 0;  // guarded by lock_, as all below
  Mapping mappings_[kMost] = {};
  uint64_t unlisted_ = 0;
  std::atomic<uint64_t> mapped_{0};  // relaxed: a figure, nothing depends on it
};
constinit MappingList g_mappings;

long raw_mmap(size_t bytes, int flags) noexcept {
  return syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0L);
}

// Older kernels: a write through the kernel fails with EFAULT where a plain store would raise SIGBUS.
bool populate_by_writing(char* p, size_t bytes) noexcept {
  for (size_t at = 0; at < bytes; at += kPageBytes) {
    char byte = 0;
    iovec from{&byte, 1};
    iovec to{p + at, 1};
    if (syscall(SYS_process_vm_writev, getpid(), &from, 1L, &to, 1L, 0L) != 1) return false;
  }
  return true;
}

}  // namespace

void* map_pages(size_t bytes) noexcept {
  int saved = errno;
  long p = raw_mmap(bytes, MAP_NORESERVE);
  if (p != -1 && bytes >= kHugePageBytes) syscall(SYS_madvise, p, bytes, MADV_NOHUGEPAGE);
  errno = saved;
  if (p == -1) return nullptr;
  g_mappings.add(reinterpret_cast<void*>(p), bytes);
  return reinterpret_cast<void*>(p);
}

void unmap_pages(void* p, size_t bytes) noexcept {
  if (!p) return;
  int saved = errno;
  g_mappings.remove(p, bytes);
  g_mappings.unmapped(bytes);
  syscall(SYS_munmap, p, bytes);
  errno = saved;
}

void zero_pages(void* p, size_t bytes) noexcept {
  int saved = errno;
  syscall(SYS_madvise, p, bytes, MADV_DONTNEED);
  errno = saved;
}

void retire_pages(void* p, size_t bytes) noexcept {
  zero_pages(p, bytes);
  g_mappings.remove(p, bytes);
}

void* map_wiped_on_fork() noexcept {
  void* p = map_pages(kPageBytes);
  if (!p) return nullptr;
  if (syscall(SYS_madvise, p, kPageBytes, kWipeOnFork) == 0) return p;
  unmap_pages(p, kPageBytes);
  return nullptr;
}

bool populate(void* p, size_t bytes) noexcept {
  int saved = errno;
  bool ok = syscall(SYS_madvise, p, bytes, kPopulateWrite) == 0;
  if (!ok && errno == EINVAL) ok = populate_by_writing(static_cast<char*>(p), bytes);
  errno = saved;
  return ok;
}

uint64_t resident_bytes(const void* p, size_t bytes) noexcept {
  constexpr size_t kPagesAtOnce = 1024;
  unsigned char is_there[kPagesAtOnce];
  const char* at = static_cast<const char*>(p);
  uint64_t pages = 0;
  int saved = errno;
  for (size_t left = (bytes + kPageBytes - 1) / kPageBytes; left > 0;) {
    size_t now = left < kPagesAtOnce ? left : kPagesAtOnce;
    if (syscall(SYS_mincore, at, now * kPageBytes, is_there) != 0) break;
    for (size_t i = 0; i < now; ++i) pages += is_there[i] & 1;
    at += now * kPageBytes;
    left -= now;
  }
  errno = saved;
  return pages * kPageBytes;
}

uint64_t own_mapped_bytes() noexcept { return g_mappings.mapped(); }

uint64_t own_resident_bytes() noexcept { return g_mappings.resident(); }

void memory_after_fork() noexcept { g_mappings.unlock(); }

static size_t copy_by_system(long call, uint64_t address, void* ours, size_t bytes) noexcept {
  ErrnoKeeper keeper;
  iovec here{ours, bytes};
  iovec there{reinterpret_cast<void*>(static_cast<uintptr_t>(address)), bytes};
  long copied = syscall(call, getpid(), &here, 1L, &there, 1L, 0L);
  return copied > 0 ? static_cast<size_t>(copied) : 0;
}

size_t read_memory(uint64_t address, void* out, size_t bytes) noexcept {
  return copy_by_system(SYS_process_vm_readv, address, out, bytes);
}

size_t write_memory(uint64_t address, const void* data, size_t bytes) noexcept {
  return copy_by_system(SYS_process_vm_writev, address, const_cast<void*>(data), bytes);
}

}  // namespace tenure::inproc
