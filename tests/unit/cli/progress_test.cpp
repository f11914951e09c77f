// tests/unit/cli/progress_test.cpp: what takes long is told on a terminal, and only there.
#include "cli/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

namespace tenure::cli {
namespace {

// Standard error is something else while it lives.
class ErrorsTo {
 public:
  explicit ErrorsTo(int fd) : before_(dup(STDERR_FILENO)) { dup2(fd, STDERR_FILENO); }
  ~ErrorsTo() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }

 private:
  int before_;
};

// What arrives until the words are in it; all there is at the end of patience.
std::string read_until(int fd, const std::string& words) {
  constexpr int kPatience = 60'000;  // milliseconds, on a busy machine
  std::string text;
  pollfd ready{fd, POLLIN, 0};
  char piece[256];
  while (text.find(words) == std::string::npos && poll(&ready, 1, kPatience) > 0) {
    const ssize_t n = read(fd, piece, sizeof piece);
    if (n <= 0) break;
    text.append(piece, static_cast<size_t>(n));
  }
  return text;
}

TEST(Progress, IsToldOnATerminalAndTakenBack) {
  setenv("TERM", "xterm", 1);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const int inside = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(inside, 0);
  {
    ErrorsTo errors(inside);
    Progress progress("looking for names");
    EXPECT_NE(read_until(terminal, "looking for names").find("tenure: looking for names"),
              std::string::npos);
    progress.next("making the page");
    EXPECT_NE(read_until(terminal, "making the page").find("tenure: making the page"),
              std::string::npos);
    progress.end();
  }
  const std::string last = read_until(terminal, "\r\x1b[K");
  EXPECT_EQ(last.substr(last.size() - 4), "\r\x1b[K");
  close(inside);
  close(terminal);
}

TEST(Progress, SaysNothingElsewhere) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    ErrorsTo errors(ends[1]);
    Progress progress("looking for names");
    progress.next("making the page");
    progress.end();
    progress.end();
  }
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace tenure::cli
