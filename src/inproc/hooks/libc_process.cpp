// inproc/hooks/libc_process.cpp: fork, exec and spawn: a child takes its own ledger, a new program finds us again.
// World: inside. vfork and clone need no hook: a vfork child shares our memory until exec, and a child made by a raw
// clone is noticed by the page that is wiped on fork. Between vfork and exec nothing may be allocated: the new
// environment lives on the caller's stack.
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

#include "inproc/accounting/accounting.h"
#include "inproc/boot/environment.h"
#include "inproc/hooks/real.h"
#include "inproc/os/fork_gate.h"
#include "inproc/territory/territory.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;
using tenure::ledger::ProcessState;

// Declares `name`: the environment `given` with our variables put back where they are missing, or left out for a program
// that allows no preloaded library.
#define TRACED_ENVIRONMENT(name, path, given)                                  \
  const Passage name##_passage = passage_to(path, given);                      \
  size_t name##_bytes = room_for_passage(name##_passage, given);               \
  void* name##_room = name##_bytes ? __builtin_alloca(name##_bytes) : nullptr; \
  char* const* name = changed_environment(name##_passage, given, name##_room)

// Declares `name`: the arguments from `first` to the null pointer, and leaves `rest` behind that.
#define LISTED_ARGUMENTS(name, first, rest)                                                \
  va_list rest;                                                                            \
  va_start(rest, first);                                                                   \
  size_t name##_count = count_arguments(first, rest);                                      \
  auto** name = static_cast<char**>(__builtin_alloca((name##_count + 1) * sizeof(char*))); \
  name[0] = const_cast<char*>(first);                                                      \
  for (size_t i = 1; i <= name##_count; ++i) name[i] = va_arg(rest, char*)

namespace {

// Without the null pointer at the end; 0 if `first` is it.
size_t count_arguments(const char* first, va_list rest) noexcept {
  va_list look;
  va_copy(look, rest);
  size_t count = 0;
  for (const char* at = first; at; at = va_arg(look, const char*)) ++count;
  va_end(look);
  return count;
}

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

// `become(environment)` runs exec. Our few bytes must not be what makes an environment too big.
template <class Become>
int replaced(char* const* traced, char* const* given, Become become) noexcept {
  Replacing mark;
  int result = become(traced);
  return errno == E2BIG && traced != given ? become(given) : result;
}

}  // namespace

EXPORTED pid_t fork() noexcept {
  ProgramFork gate;
  pid_t pid = real().fork();
  if (pid == 0) {
    gate.arrive_in_child();
    accounting().after_fork_in_child();
    territory().after_fork_in_child();
  } else if (pid > 0) {
    accounting().after_fork_in_parent();
  }
  return pid;
}

EXPORTED int execve(const char* path, char* const* arguments, char* const* environment) noexcept {
  TRACED_ENVIRONMENT(traced, path, environment);
  return replaced(traced, environment,
                  [&](char* const* e) { return real().execve(path, arguments, e); });
}

EXPORTED int execvpe(const char* file, char* const* arguments, char* const* environment) noexcept {
  TRACED_ENVIRONMENT(traced, file, environment);
  return replaced(traced, environment,
                  [&](char* const* e) { return real().execvpe(file, arguments, e); });
}

EXPORTED int fexecve(int fd, char* const* arguments, char* const* environment) noexcept {
  TRACED_ENVIRONMENT(traced, nullptr, environment);
  return replaced(traced, environment,
                  [&](char* const* e) { return real().fexecve(fd, arguments, e); });
}

// The program may have emptied `environ` itself.
EXPORTED int execv(const char* path, char* const* arguments) noexcept {
  return execve(path, arguments, environ);
}

EXPORTED int execvp(const char* file, char* const* arguments) noexcept {
  return execvpe(file, arguments, environ);
}

EXPORTED int execl(const char* path, const char* first, ...) noexcept {
  LISTED_ARGUMENTS(arguments, first, rest);
  va_end(rest);
  return execve(path, arguments, environ);
}

EXPORTED int execlp(const char* file, const char* first, ...) noexcept {
  LISTED_ARGUMENTS(arguments, first, rest);
  va_end(rest);
  return execvpe(file, arguments, environ);
}

EXPORTED int execle(const char* path, const char* first, ...) noexcept {
  LISTED_ARGUMENTS(arguments, first, rest);
  char* const* environment = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, arguments, environment);
}

EXPORTED int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                         const posix_spawnattr_t* attributes, char* const* arguments,
                         char* const* environment) {
  TRACED_ENVIRONMENT(traced, path, environment);
  int result = real().posix_spawn(pid, path, actions, attributes, arguments, traced);
  if (result != E2BIG || traced == environment) return result;
  return real().posix_spawn(pid, path, actions, attributes, arguments, environment);
}

EXPORTED int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const* arguments,
                          char* const* environment) {
  TRACED_ENVIRONMENT(traced, file, environment);
  int result = real().posix_spawnp(pid, file, actions, attributes, arguments, traced);
  if (result != E2BIG || traced == environment) return result;
  return real().posix_spawnp(pid, file, actions, attributes, arguments, environment);
}
