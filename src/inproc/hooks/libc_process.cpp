// inproc/hooks/libc_process.cpp: fork, exec and spawn: a child takes its own ledger, a new program finds us again.
// World: inside. vfork and clone need no hook: a vfork child shares our memory until exec, and a child made by a raw
// clone is noticed by the page that is wiped on fork.
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inproc/accounting/accounting.h"
#include "inproc/boot/environment.h"
#include "inproc/hooks/real.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;
using tenure::ledger::ProcessState;

namespace {

// The environment with our variables put back where the caller's own lacks them. Lives on the caller's stack:
// between vfork and exec nothing may be allocated.
class TracedEnvironment {
 public:
  explicit TracedEnvironment(char* const* given) noexcept : use_(given) {
    if (!given || !is_traced()) return;
    int count = 0;
    while (given[count]) ++count;
    if (count + kOurVariables + 1 > kMost) return;
    int used = 0;
    for (int i = 0; i < count; ++i) {
      if (!is_ours(given[i])) entries_[used++] = given[i];
    }
    for (int i = 0; i < kOurVariables; ++i) entries_[used++] = const_cast<char*>(our_variable(i));
    entries_[used] = nullptr;
    if (lacks_ours(given)) use_ = entries_;
  }
  char* const* get() const noexcept { return use_; }

 private:
  static constexpr int kMost = 2048;
  char* const* use_;
  char* entries_[kMost];
};

// This process is about to become another program. A vfork child shares the parent's ledger and must not say so in it.
class Replacing {
 public:
  Replacing() noexcept
      : is_own_(accounting().is_on() && accounting().ledger().header().pid == getpid()) {
    if (is_own_) accounting().mark(ProcessState::replaced_by_exec);
  }
  ~Replacing() {  // only reached when exec failed
    if (is_own_) accounting().mark(ProcessState::running);
  }
  Replacing(const Replacing&) = delete;
  Replacing& operator=(const Replacing&) = delete;

 private:
  bool is_own_;
};

}  // namespace

EXPORTED pid_t fork() noexcept {
  pid_t pid = real().fork();
  if (pid == 0) accounting().after_fork_in_child();
  return pid;
}

EXPORTED int execve(const char* path, char* const* arguments, char* const* environment) noexcept {
  TracedEnvironment traced(environment);
  Replacing mark;
  return real().execve(path, arguments, traced.get());
}

EXPORTED int execvpe(const char* file, char* const* arguments, char* const* environment) noexcept {
  TracedEnvironment traced(environment);
  Replacing mark;
  return real().execvpe(file, arguments, traced.get());
}

EXPORTED int fexecve(int fd, char* const* arguments, char* const* environment) noexcept {
  TracedEnvironment traced(environment);
  Replacing mark;
  return real().fexecve(fd, arguments, traced.get());
}

EXPORTED int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                         const posix_spawnattr_t* attributes, char* const* arguments,
                         char* const* environment) {
  TracedEnvironment traced(environment);
  return real().posix_spawn(pid, path, actions, attributes, arguments, traced.get());
}

EXPORTED int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const* arguments,
                          char* const* environment) {
  TracedEnvironment traced(environment);
  return real().posix_spawnp(pid, file, actions, attributes, arguments, traced.get());
}
