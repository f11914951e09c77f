#include "inproc/snapshot/waiting_copy.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inproc/os/clock.h"
#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

constexpr long kPidfdOpen = 434;  // Linux 5.3
constexpr long kLookEveryMs = 20;

long open_process(int pid) noexcept { return syscall(kPidfdOpen, static_cast<long>(pid), 0L); }

bool has_ended(long process) noexcept {
  pollfd watched{static_cast<int>(process), POLLIN, 0};
  return syscall(SYS_poll, &watched, 1L, 0L) == 1;
}

}  // namespace

bool can_wait() noexcept {
  ErrnoKeeper keeper;
  long process = open_process(getpid());
  if (process < 0) return false;
  syscall(SYS_close, process);
  return true;
}

bool wait_for_order(const WaitingOrders& orders, uint32_t number, int program_pid,
                    int link) noexcept {
  long process = open_process(program_pid);
  if (process < 0) return true;  // it has died already
  for (pollfd word{link, POLLIN, 0};;) {
    syscall(SYS_poll, &word, 1L, kLookEveryMs);
    if (word.revents & (POLLHUP | POLLERR)) return false;
    // Before the orders are looked at: what was ordered at the end was ordered before the end.
    const bool has_died = has_ended(process);
    if (orders.is_dismissed(number)) return false;
    if (orders.is_to_walk(number)) return true;
    if (has_died && !orders.are_awaited(now_ns())) return true;
    if (word.revents & POLLIN) {
      if (!has_died) return true;  // the run is over, and this process goes on without it
      word.fd = -1;
    }
  }
}

}  // namespace tenure::inproc
