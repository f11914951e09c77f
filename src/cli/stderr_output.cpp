#include "cli/stderr_output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace tenure::cli {
namespace {

constexpr int kPatienceMs = 2000;  // for a full pipe whose reader is slow

bool waits_for_room() {
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  return poll(&room, 1, kPatienceMs) == 1 && (room.revents & POLLOUT);
}

}  // namespace

void say(const std::string& text) {
  for (std::string_view left = text; !left.empty();) {
    ssize_t n = write(STDERR_FILENO, left.data(), left.size());
    if (n >= 0)
      left.remove_prefix(static_cast<size_t>(n));
    else if (errno != EINTR && !(errno == EAGAIN && waits_for_room()))
      return;
  }
}

void say_line(const std::string& sentence) { say("tenure: " + sentence + "\n"); }

}  // namespace tenure::cli
