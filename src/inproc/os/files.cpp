#include "inproc/os/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inproc/os/sandbox.h"

namespace tenure::inproc {

uint32_t read_file(const char* path, char* out, uint32_t capacity) noexcept {
  long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  uint32_t n = 0;
  for (long got; n < capacity && (got = syscall(SYS_read, fd, out + n, capacity - n)) > 0;)
    n += static_cast<uint32_t>(got);
  syscall(SYS_close, fd);
  return n;
}

ResidentMemory resident_memory() noexcept {
  char text[128];
  uint32_t length = is_sandboxed() ? 0 : read_file("/proc/self/statm", text, sizeof text - 1);
  text[length] = 0;
  char* end = text;
  uint64_t pages[3];  // all, resident, and of these files and shared memory
  for (uint64_t& field : pages) field = strtoull(end, &end, 10);
  return {pages[1] * 4096, pages[2] * 4096};
}

}  // namespace tenure::inproc
