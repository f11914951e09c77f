#include "inproc/snapshot/hidden_child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inproc/os/clock.h"
#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

constexpr size_t kStackBytes = 1 << 20;
constexpr long kMostSeconds = 60;  // the watchdog's
constexpr size_t kSignalSetBytes = 8;
constexpr int kLastClosedOneByOne = 4096;

char* g_stack = nullptr;  // of the middle child; guarded by the GIL

struct Middle {
  const HiddenWork* work;
  bool has_copied;
};

[[noreturn]] void end_process() noexcept {
  for (;;) syscall(SYS_exit_group, 0);
}

void be_killed_first() noexcept {
  long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC, 0);
  if (fd < 0) return;
  syscall(SYS_write, fd, "1000", 4L);
  syscall(SYS_close, fd);
}

// A pipe's reader must not wait for us, so everything inherited goes; `fd` becomes 0.
int keep_only(int fd) noexcept {
  if (fd != 0) syscall(SYS_dup3, fd, 0L, 0L);
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, 1L, ~0u, 0L) == 0) return 0;
#endif
  for (int i = 1; i < kLastClosedOneByOne; ++i) syscall(SYS_close, i);
  return 0;
}

// The program's limit of address space is not meant for us, and may just have been reached.
void widen_address_space() noexcept {
  rlimit64 limit{};
  if (syscall(SYS_prlimit64, 0L, RLIMIT_AS, nullptr, &limit) != 0) return;
  rlimit64 none{RLIM64_INFINITY, RLIM64_INFINITY};  // a few may do even that
  if (syscall(SYS_prlimit64, 0L, RLIMIT_AS, &none, nullptr) == 0) return;
  limit.rlim_cur = limit.rlim_max;
  syscall(SYS_prlimit64, 0L, RLIMIT_AS, &limit, nullptr);
}

// The program's handler must not run here: SIGALRM ends the process, everything else stays held back.
void set_watchdog() noexcept {
  uint64_t by_default[4] = {};  // the kernel's struct sigaction
  syscall(SYS_rt_sigaction, SIGALRM, by_default, nullptr, kSignalSetBytes);
  uint64_t held_back = ~0ull & ~(1ull << (SIGALRM - 1));
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &held_back, nullptr, kSignalSetBytes);
  itimerval limit{};
  limit.it_value.tv_sec = kMostSeconds;
  syscall(SYS_setitimer, ITIMER_REAL, &limit, nullptr);
}

// At nice 19 a copy starves on a busy machine: only one that nobody waits for goes so far.
void give_way(bool is_idle) noexcept {
  constexpr long kNice = 3, kNicest = 19;
  syscall(SYS_setpriority, PRIO_PROCESS, 0L, is_idle ? kNicest : kNice);
  sched_param none{};
  if (is_idle) syscall(SYS_sched_setscheduler, 0L, static_cast<long>(SCHED_IDLE), &none);
}

[[noreturn]] void be_hidden(const HiddenWork& work, int fd) noexcept {
  be_killed_first();
  fd = keep_only(fd);
  set_watchdog();
  widen_address_space();
  give_way(work.is_idle);
  syscall(SYS_prctl, PR_SET_NAME, "tenure-snapshot", 0L, 0L, 0L);
  syscall(SYS_prctl, PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);  // a crash here leaves no core file
  work.run(work.context, fd);
  end_process();
}

int be_middle(void* argument) noexcept {
  auto* middle = static_cast<Middle*>(argument);
  int fd = middle->work->open(middle->work->context);
  if (fd >= 0) {
    long copy = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (copy == 0) be_hidden(*middle->work, fd);
    middle->has_copied = copy > 0;
  }
  end_process();
}

}  // namespace

HeldSignals::HeldSignals() noexcept {
  uint64_t all = ~0ull;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before_, kSignalSetBytes);
}

HeldSignals::~HeldSignals() {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, kSignalSetBytes);
}

bool reserve_hidden_stack() noexcept {
  if (!g_stack) g_stack = static_cast<char*>(map_pages(kStackBytes));
  return g_stack != nullptr;
}

bool run_hidden(const HeldSignals&, const HiddenWork& work, uint64_t* spent_ns) noexcept {
  int saved = errno;
  if (!reserve_hidden_stack()) return false;
  char* stack = g_stack;
  Middle middle{&work, false};
  // No exit signal: the program is told nothing, and only a wait for clones would see it.
  int pid = clone(&be_middle, stack + kStackBytes, CLONE_VM | CLONE_VFORK, &middle);
  if (pid > 0) {
    rusage usage{};
    while (syscall(SYS_wait4, pid, nullptr, static_cast<long>(__WALL), &usage) == -1 &&
           errno == EINTR) {
    }
    *spent_ns += spent_in(usage);
  }
  errno = saved;
  return middle.has_copied;
}

}  // namespace tenure::inproc
