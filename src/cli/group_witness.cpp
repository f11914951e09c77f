#include "cli/group_witness.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

namespace tenure::cli {
namespace {

// The kernel may still be on its way through the group when we look.
constexpr useconds_t kOnItsWay = 3000;  // microseconds

[[noreturn]] void be_witness(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "tenure-witness");
  for (int fd = 0; fd < 64; ++fd) close(fd);  // a pipe's reader must not wait for us
  if (getppid() != parent) _exit(0);
  for (;;) pause();
}

}  // namespace

void GroupWitness::start() {
  const pid_t parent = getpid();
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);  // from its first moment on
  pid_ = fork();
  if (pid_ == 0) be_witness(parent);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

void GroupWitness::end() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

bool GroupWitness::is_pending(int signal) const {
  std::ifstream file(fmt::format("/proc/{}/status", pid_));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("ShdPnd:"))
      return (std::strtoull(line.c_str() + 7, nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

bool GroupWitness::has_seen(int signal) {
  if (pid_ <= 0) return false;
  if (!is_pending(signal)) usleep(kOnItsWay);
  if (!is_pending(signal)) return false;
  end();  // another one in its place: what waits for a process can only be taken by itself
  start();
  return true;
}

}  // namespace tenure::cli
