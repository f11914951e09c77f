#include "inproc/os/files.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

}  // namespace tenure::inproc
