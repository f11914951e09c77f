// inproc/hooks/libc_signals.cpp: sigaction and signal, so that under --guard the signals of a bad access come to us first.
// World: inside. Any thread. Without --guard both go straight on to libc.
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>

#include "inproc/accounting/thread_state.h"
#include "inproc/boot/guard_errors.h"
#include "inproc/hooks/guard.h"
#include "inproc/hooks/real.h"
#include "inproc/os/memory.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;

namespace {

using Action = struct sigaction;
using Handler = sighandler_t;

// What the program wants done with one signal. Written beside the one in use, which a handler may be reading.
class TheirAction {
 public:
  Action get() const noexcept { return actions_[current_.load(std::memory_order_acquire) & 1]; }
  void set(const Action& action) noexcept {
    uint32_t next = current_.load(std::memory_order_relaxed) + 1;
    actions_[next & 1] = action;
    current_.store(next, std::memory_order_release);
  }

 private:
  Action actions_[2] = {};
  std::atomic<uint32_t> current_{0};
};

TheirAction g_on_segv, g_on_bus;
std::atomic<bool> g_is_watching{false};

TheirAction& their_action(int signal) noexcept { return signal == SIGSEGV ? g_on_segv : g_on_bus; }

bool comes_to_us(int signal) noexcept {
  return g_is_watching.load(std::memory_order_acquire) && (signal == SIGSEGV || signal == SIGBUS);
}

Fault fault_of(const siginfo_t& info, const ucontext_t& context) noexcept {
  Fault fault{};
  fault.address = reinterpret_cast<uintptr_t>(info.si_addr);
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;  // of the page fault's error code
  const greg_t* registers = context.uc_mcontext.gregs;
  fault.registers = {static_cast<uintptr_t>(registers[REG_RIP]),
                     static_cast<uintptr_t>(registers[REG_RSP]),
                     static_cast<uintptr_t>(registers[REG_RBP])};
  fault.is_write = registers[REG_ERR] & kWriteBit;
#elif defined(__aarch64__)
  fault.registers = {context.uc_mcontext.pc, context.uc_mcontext.sp, context.uc_mcontext.regs[29]};
#endif
  return fault;
}

// As the kernel would: the fault comes again when we return, a signal that was sent is sent once more.
void end_by(int signal, bool was_sent) noexcept {
  Action by_default{};
  by_default.sa_handler = SIG_DFL;
  real().sigaction(signal, &by_default, nullptr);
  if (was_sent) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

void call_theirs(TheirAction& theirs, int signal, siginfo_t* info, void* context) noexcept {
  const Action action = theirs.get();
  if (action.sa_flags & SA_RESETHAND) theirs.set({});
  sigprocmask(SIG_BLOCK, &action.sa_mask, nullptr);
  if (action.sa_flags & SA_NODEFER) {
    sigset_t self;
    sigemptyset(&self);
    sigaddset(&self, signal);
    sigprocmask(SIG_UNBLOCK, &self, nullptr);
  }
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
}

// Our own work reads what the interpreter may be about to free, a thread's state or a code object: it takes zeros for an
// answer as it takes anything else that is no longer what it was.
bool is_our_own(const siginfo_t& info) noexcept {
  return g_thread.is_busy && guarded_heap().show_zeros(reinterpret_cast<uintptr_t>(info.si_addr));
}

void on_fault(int signal, siginfo_t* info, void* context) noexcept {
  ErrnoKeeper keep;
  const bool was_sent = info->si_code <= 0;
  if (!was_sent && is_our_own(*info)) return;
  if (!was_sent) tell_fault(fault_of(*info, *static_cast<ucontext_t*>(context)));
  TheirAction& theirs = their_action(signal);
  const Handler wanted = theirs.get().sa_handler;
  if (wanted == SIG_IGN && was_sent) return;
  if (wanted == SIG_DFL || wanted == SIG_IGN) return end_by(signal, was_sent);
  call_theirs(theirs, signal, info, context);
}

bool stand_before(int signal, TheirAction& theirs) noexcept {
  Action ours{}, before{};
  ours.sa_sigaction = &on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  if (real().sigaction(signal, nullptr, &before) != 0) return false;
  theirs.set(before);
  return real().sigaction(signal, &ours, nullptr) == 0;
}

}  // namespace

void tenure::inproc::watch_faults() noexcept {
  bool is_done = stand_before(SIGSEGV, g_on_segv) && stand_before(SIGBUS, g_on_bus);
  g_is_watching.store(is_done, std::memory_order_release);
}

EXPORTED int sigaction(int signal, const Action* wanted, Action* old) noexcept {
  if (!comes_to_us(signal)) return real().sigaction(signal, wanted, old);
  TheirAction& theirs = their_action(signal);
  const Action before = theirs.get();
  if (wanted) theirs.set(*wanted);
  if (old) *old = before;
  return 0;
}

EXPORTED Handler signal(int number, Handler handler) noexcept {
  if (!comes_to_us(number)) return real().signal(number, handler);
  TheirAction& theirs = their_action(number);
  const Handler before = theirs.get().sa_handler;
  Action action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  theirs.set(action);
  return before;
}
