#include "attach/tracee.h"

#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <initializer_list>
#include <thread>

namespace tenure::attach {
namespace {

using Clock = std::chrono::steady_clock;

// What the kernel writes into the answer of a call that it will make again; programs never see these.
constexpr int64_t kRestart = -512, kRestartAlways = -513, kRestartNoHandler = -514,
                  kRestartBlock = -516;

constexpr auto kPatience = std::chrono::seconds(2);        // of a thread that is to stop
constexpr auto kLastPatience = std::chrono::seconds(120);  // of a call that cannot be broken off

uint64_t all_but_faults() {
  uint64_t held = ~uint64_t{0};
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    held &= ~(uint64_t{1} << (signal - 1));
  return held;
}

// Calls that end with EINTR when a tracer stops them, though no signal came, and that did nothing then.
bool is_harmless_to_repeat(uint64_t number) {
  constexpr uint64_t kCalls[] = {SYS_epoll_wait,
                                 SYS_epoll_pwait,
                                 SYS_recvfrom,
                                 SYS_recvmsg,
                                 SYS_accept,
                                 SYS_accept4,
                                 SYS_semop,
                                 SYS_semtimedop,
                                 SYS_msgrcv,
                                 SYS_rt_sigtimedwait,
                                 SYS_io_getevents,
                                 SYS_read,
                                 441 /*epoll_pwait2*/};
  return std::find(std::begin(kCalls), std::end(kCalls), number) != std::end(kCalls);
}

// True: the thread has changed its state, which is in `status`.
bool wait_until(pid_t thread, Clock::time_point end, int* status) {
  using namespace std::chrono_literals;
  for (auto pause = 20us;; pause = std::min(pause * 2, 1000us)) {
    const pid_t answer = waitpid(thread, status, __WALL | WNOHANG);
    if (answer == thread) return true;
    if (answer < 0 && errno != EINTR) return false;
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

bool Tracee::stop() {
  if (ptrace(PTRACE_SEIZE, thread_, 0, 0) != 0) return false;
  is_stopped_ = true;  // from here on it has to be let go
  if (ptrace(PTRACE_INTERRUPT, thread_, 0, 0) != 0) return false;
  int status = 0;
  if (!wait_until(thread_, Clock::now() + kPatience, &status) || !WIFSTOPPED(status)) return false;
  // A signal that was on its way came first: it is delivered when the thread goes on.
  if (status >> 16 != PTRACE_EVENT_STOP) {
    const int signal = WSTOPSIG(status);
    ptrace(PTRACE_DETACH, thread_, 0, signal);
    is_stopped_ = false;
    return false;
  }
  return ptrace(PTRACE_GETREGS, thread_, 0, &registers_) == 0;
}

void Tracee::let_go() {
  if (!is_stopped_) return;
  give_back();
  is_stopped_ = false;
  if (ptrace(PTRACE_DETACH, thread_, 0, 0) == 0) return;
  // It runs: stop it once more, since only a thread that stands still can be let go.
  int status = 0;
  ptrace(PTRACE_INTERRUPT, thread_, 0, 0);
  if (wait_until(thread_, Clock::now() + kPatience, &status) && WIFSTOPPED(status)) {
    const bool is_signal = status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP;
    ptrace(PTRACE_DETACH, thread_, 0, is_signal ? WSTOPSIG(status) : 0);
  }
}

bool Tracee::waits_in_kernel() const {
  const auto answer = static_cast<int64_t>(registers_.rax);
  if (static_cast<int64_t>(registers_.orig_rax) < 0) return false;
  return answer == kRestart || answer == kRestartAlways || answer == kRestartNoHandler ||
         answer == kRestartBlock ||
         (answer == -EINTR && is_harmless_to_repeat(registers_.orig_rax));
}

void Tracee::restart_interrupted_call(bool is_signal_pending) {
  constexpr uint64_t kInstructionBytes = 2;
  const bool is_ours = !is_signal_pending && static_cast<int64_t>(registers_.orig_rax) >= 0 &&
                       static_cast<int64_t>(registers_.rax) == -EINTR &&
                       is_harmless_to_repeat(registers_.orig_rax);
  if (!is_ours) return;
  registers_.rax = registers_.orig_rax;
  registers_.rip -= kInstructionBytes;
  set_registers(registers_);
}

bool Tracee::set_registers(const user_regs_struct& registers) const {
  return ptrace(PTRACE_SETREGS, thread_, 0, &registers) == 0;
}

bool Tracee::save_vectors() {
  constexpr size_t kMostBytes = 16 << 10;  // AMX takes more than 8 KiB
  vectors_.resize(kMostBytes);
  iovec room{vectors_.data(), vectors_.size()};
  if (ptrace(PTRACE_GETREGSET, thread_, NT_X86_XSTATE, &room) != 0) return false;
  vectors_.resize(room.iov_len);
  return true;
}

bool Tracee::borrow(const Gadgets& gadgets) {
  gadgets_ = gadgets;
  if (!save_vectors()) return false;
  if (ptrace(PTRACE_GETSIGMASK, thread_, sizeof signals_, &signals_) != 0) return false;
  const uint64_t held = all_but_faults();
  if (ptrace(PTRACE_SETSIGMASK, thread_, sizeof held, &held) != 0) return false;
  is_borrowed_ = true;
  return true;
}

void Tracee::give_back() {
  if (!is_borrowed_) return;
  is_borrowed_ = false;
  set_registers(registers_);
  iovec vectors{vectors_.data(), vectors_.size()};
  ptrace(PTRACE_SETREGSET, thread_, NT_X86_XSTATE, &vectors);
  ptrace(PTRACE_SETSIGMASK, thread_, sizeof signals_, &signals_);
}

// The next stop is the trap we set. Signals of the whole process are held back in this thread; a stop of the whole process
// is not: it waits until we are done.
bool Tracee::wait_for_trap(double patience) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(patience));
  int status = 0;
  bool is_late = false;
  for (;;) {
    if (!wait_until(thread_, is_late ? end + kLastPatience : end, &status)) {
      if (is_late) return false;
      is_late = true;
      ptrace(PTRACE_INTERRUPT, thread_, 0, 0);
      continue;
    }
    if (!WIFSTOPPED(status)) return is_stopped_ = is_borrowed_ = false;  // the process has ended
    if (status >> 16 == 0) return WSTOPSIG(status) == SIGTRAP;
    // Only where it waits for a lock may it be taken out of the call: elsewhere it may hold one.
    if (is_late && waits_for_lock()) return false;
    ptrace(PTRACE_CONT, thread_, 0, 0);
  }
}

bool Tracee::waits_for_lock() const {
  user_regs_struct now{};
  return ptrace(PTRACE_GETREGS, thread_, 0, &now) == 0 && now.orig_rax == SYS_futex;
}

std::optional<int64_t> Tracee::system_call(long number, const std::vector<uint64_t>& arguments) {
  user_regs_struct made = registers_;
  made.orig_rax = ~0ull;  // of the call it was in nothing is to be made again here
  made.rip = gadgets_.system_call;
  made.rax = static_cast<uint64_t>(number);
  unsigned long long* places[] = {&made.rdi, &made.rsi, &made.rdx, &made.r10, &made.r8, &made.r9};
  for (size_t i = 0; i < arguments.size() && i < std::size(places); ++i) *places[i] = arguments[i];
  if (!set_registers(made) || ptrace(PTRACE_SINGLESTEP, thread_, 0, 0) != 0) return std::nullopt;
  if (!wait_for_trap(5)) return std::nullopt;
  user_regs_struct after{};
  if (ptrace(PTRACE_GETREGS, thread_, 0, &after) != 0) return std::nullopt;
  return static_cast<int64_t>(after.rax);
}

std::optional<uint64_t> Tracee::call(uint64_t function, const std::vector<uint64_t>& arguments,
                                     uint64_t stack, double patience) {
  constexpr uint64_t kDirection = 0x400;  // strings are copied upwards, by convention
  user_regs_struct made = registers_;
  made.orig_rax = ~0ull;
  made.eflags &= ~kDirection;
  made.rip = function;
  made.rax = 0;
  made.rbp = 0;
  made.rsp = stack / 16 * 16 - 8;
  unsigned long long* places[] = {&made.rdi, &made.rsi, &made.rdx, &made.rcx, &made.r8, &made.r9};
  for (size_t i = 0; i < arguments.size() && i < std::size(places); ++i) *places[i] = arguments[i];
  errno = 0;
  if (ptrace(PTRACE_POKEDATA, thread_, made.rsp, gadgets_.trap) != 0) return std::nullopt;
  if (!set_registers(made) || ptrace(PTRACE_CONT, thread_, 0, 0) != 0) return std::nullopt;
  if (!wait_for_trap(patience)) return std::nullopt;
  user_regs_struct after{};
  if (ptrace(PTRACE_GETREGS, thread_, 0, &after) != 0 || after.rip != gadgets_.trap + 1)
    return std::nullopt;
  return after.rax;
}

}  // namespace tenure::attach
