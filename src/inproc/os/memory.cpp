#include "inproc/os/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

namespace tenure::inproc {
namespace {

constexpr int kWipeOnFork = 18;     // MADV_WIPEONFORK
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14
std::atomic<uint64_t> g_own_bytes;  // relaxed: a figure, nothing depends on it

long raw_mmap(size_t bytes, int flags) noexcept {
  return syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0L);
}

// Older kernels: a write through the kernel fails with EFAULT where a plain store would raise SIGBUS.
bool populate_by_writing(char* p, size_t bytes) noexcept {
  for (size_t at = 0; at < bytes; at += 4096) {
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
  errno = saved;
  if (p == -1) return nullptr;
  g_own_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return reinterpret_cast<void*>(p);
}

void unmap_pages(void* p, size_t bytes) noexcept {
  if (!p) return;
  int saved = errno;
  syscall(SYS_munmap, p, bytes);
  errno = saved;
  g_own_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

void zero_pages(void* p, size_t bytes) noexcept {
  int saved = errno;
  syscall(SYS_madvise, p, bytes, MADV_DONTNEED);
  errno = saved;
}

void* map_wiped_on_fork() noexcept {
  void* p = map_pages(4096);
  if (!p) return nullptr;
  if (syscall(SYS_madvise, p, 4096L, kWipeOnFork) == 0) return p;
  unmap_pages(p, 4096);
  return nullptr;
}

bool populate(void* p, size_t bytes) noexcept {
  int saved = errno;
  bool ok = syscall(SYS_madvise, p, bytes, kPopulateWrite) == 0;
  if (!ok && errno == EINVAL) ok = populate_by_writing(static_cast<char*>(p), bytes);
  errno = saved;
  return ok;
}

uint64_t own_bytes() noexcept { return g_own_bytes.load(std::memory_order_relaxed); }

}  // namespace tenure::inproc
