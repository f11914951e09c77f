// inproc/hooks/libc_maps.cpp: mappings of at least kTrackedMapBytes that the program makes itself, and named segments.
// World: inside. libc's own mappings (big malloc blocks, thread stacks) do not come through here: they are counted
// as heap blocks, or as stacks.
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "inproc/accounting/accounting.h"
#include "inproc/boot/start.h"
#include "inproc/hooks/real.h"
#include "inproc/os/memory.h"
#include "inproc/os/sandbox.h"
#include "ledger/writer.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))

using namespace tenure::inproc;
using tenure::ledger::BlockKind;
using tenure::ledger::kPage;

namespace {

// A file that is kept in memory only, as shared memory and memfds are.
bool is_in_memory(int fd) noexcept {
  struct statfs where{};
  if (is_sandboxed() || syscall(SYS_fstatfs, fd, &where) != 0) return true;
  return where.f_type == TMPFS_MAGIC || where.f_type == HUGETLBFS_MAGIC;
}

// What mmap was asked for.
struct Asked {
  size_t bytes;
  int protection, flags, fd;
};

BlockKind kind_of(const Asked& asked, uintptr_t caller) noexcept {
  bool is_shared = asked.flags & MAP_SHARED;
  if (!(asked.flags & MAP_ANONYMOUS)) {
    ErrnoKeeper keep;
    return is_shared && is_in_memory(asked.fd) ? BlockKind::shared_map : BlockKind::file_map;
  }
  if (is_shared) return BlockKind::shared_map;
  bool arena_size = asked.bytes == 256 << 10 || asked.bytes == 1 << 20;
  return arena_size && is_python_interpreter(caller) ? BlockKind::object_arena
                                                     : BlockKind::anonymous_map;
}

// Reserved address space is not memory yet.
bool is_tracked(size_t bytes, int protection) noexcept {
  return bytes >= kTrackedMapBytes && protection != PROT_NONE;
}

void unmapped(void* p, size_t bytes, uintptr_t caller) noexcept {
  accounting().unmapped(reinterpret_cast<uintptr_t>(p), bytes, caller);
}

void* mapped(void* p, const Asked& asked, uintptr_t caller) noexcept {
  bool is_worth_it = is_tracked(asked.bytes, asked.protection);
  if (p == MAP_FAILED) {
    if (is_worth_it) accounting().refused(asked.bytes, caller);
    return p;
  }
  if (asked.flags & MAP_FIXED) unmapped(p, asked.bytes, caller);
  if (is_worth_it)
    accounting().mapped(reinterpret_cast<uintptr_t>(p), asked.bytes, kind_of(asked, caller),
                        caller);
  return p;
}

}  // namespace

EXPORTED void* mmap(void* where, size_t bytes, int protection, int flags, int fd,
                    off_t offset) noexcept {
  return mapped(real().mmap(where, bytes, protection, flags, fd, offset),
                {bytes, protection, flags, fd}, CALLER);
}

EXPORTED void* mmap64(void* where, size_t bytes, int protection, int flags, int fd,
                      off64_t offset) noexcept {
  return mapped(real().mmap64(where, bytes, protection, flags, fd, offset),
                {bytes, protection, flags, fd}, CALLER);
}

// Booked before the real call: another thread may map the same range right after it. What the kernel will refuse is not.
EXPORTED int munmap(void* p, size_t bytes) noexcept {
  if (reinterpret_cast<uintptr_t>(p) % kPage == 0 && bytes > 0) unmapped(p, bytes, CALLER);
  return real().munmap(p, bytes);
}

EXPORTED void* mremap(void* old, size_t old_bytes, size_t bytes, int flags, ...) noexcept {
  void* fixed = nullptr;
  if (flags & MREMAP_FIXED) {
    va_list arguments;
    va_start(arguments, flags);
    fixed = va_arg(arguments, void*);
    va_end(arguments);
  }
  void* p = fixed ? real().mremap(old, old_bytes, bytes, flags, fixed)
                  : real().mremap(old, old_bytes, bytes, flags);
  if (p != MAP_FAILED && fixed) unmapped(fixed, bytes, CALLER);  // what was there has made room
  if (p != MAP_FAILED)
    accounting().remapped(reinterpret_cast<uintptr_t>(old), old_bytes,
                          reinterpret_cast<uintptr_t>(p), bytes, CALLER);
  return p;
}

// Compilers inside libraries write code into plain memory, and then make it executable.
EXPORTED int mprotect(void* p, size_t bytes, int protection) noexcept {
  int result = real().mprotect(p, bytes, protection);
  if (result == 0 && protection & PROT_EXEC && bytes >= kTrackedMapBytes)
    accounting().became_code(reinterpret_cast<uintptr_t>(p), bytes, CALLER);
  return result;
}

// ---- named shared-memory segments: they outlive their mappings and their descriptors ----

EXPORTED int shm_open(const char* name, int flags, mode_t mode) {
  int fd = loaded_late(real().shm_open, "shm_open")(name, flags, mode);
  if (fd >= 0 && flags & O_CREAT) accounting().segment_opened(fd, name);
  return fd;
}

EXPORTED int ftruncate(int fd, off_t bytes) noexcept {
  int result = real().ftruncate(fd, bytes);
  if (result == 0) accounting().segment_sized(fd, static_cast<uint64_t>(bytes), CALLER);
  return result;
}

EXPORTED int ftruncate64(int fd, off64_t bytes) noexcept {
  int result = real().ftruncate64(fd, bytes);
  if (result == 0) accounting().segment_sized(fd, static_cast<uint64_t>(bytes), CALLER);
  return result;
}

EXPORTED int shm_unlink(const char* name) {
  accounting().segment_unlinked(name);
  return loaded_late(real().shm_unlink, "shm_unlink")(name);
}
