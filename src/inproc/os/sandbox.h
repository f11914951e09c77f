// inproc/os/sandbox.h: has the program locked itself in? A sandbox may kill whoever makes a call that it does not know:
// from then on we make none but those that every heap makes.
// World: inside. Any thread. Not known: a filter that was there before the program began, since that one let us start.
#pragma once
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace tenure::inproc {

struct Sandbox {
  std::atomic<bool> is_locked{false};  // relaxed: of the thread that asks, or of one before it
  std::atomic<bool> may_be_locked{
      false};  // libraries of filters ask for no new rights first, and are not seen after that
};
inline constinit Sandbox g_sandbox;

// The program has called prctl with success.
inline void note_prctl(int option) noexcept {
  if (option == PR_SET_SECCOMP) g_sandbox.is_locked.store(true, std::memory_order_relaxed);
  if (option == PR_SET_NO_NEW_PRIVS) g_sandbox.may_be_locked.store(true, std::memory_order_relaxed);
}

inline bool is_sandboxed() noexcept {
  if (g_sandbox.is_locked.load(std::memory_order_relaxed)) return true;
  return g_sandbox.may_be_locked.load(std::memory_order_relaxed) &&
         syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

}  // namespace tenure::inproc
