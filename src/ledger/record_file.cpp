#include "ledger/record_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tenure::ledger {
namespace {

// The number of what went wrong, 0 if nothing did.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

int write_new(const std::string& path, std::span<const std::string_view> pieces) {
  ::unlink(path.c_str());  // of a supervisor that was killed, or a link that somebody put there
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return errno;
  int failure = 0;
  for (std::string_view piece : pieces) {
    if (failure == 0) failure = write_all(fd, piece);
  }
  if (::close(fd) != 0 && failure == 0) failure = errno;
  return failure;
}

}  // namespace

Result<bool> write_record_file(const std::string& path, std::span<const std::string_view> pieces) {
  const std::string beside = path + ".new";
  int failure = write_new(beside, pieces);
  if (failure == 0 && ::rename(beside.c_str(), path.c_str()) != 0) failure = errno;
  if (failure == 0) return true;
  ::unlink(beside.c_str());
  return Error{fmt::format("cannot write {}: {}", path, std::strerror(failure)), 2};
}

}  // namespace tenure::ledger
