// inproc/hooks/libc_limits.cpp: RLIMIT_AS. A limit the program sets is for its own memory: our reserved address space is
// added to it and taken off again when it asks, so that memory is refused where it would be without us.
// World: inside. Any thread; limits are set once or never, so a plain atomic is enough.
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>

#include "inproc/accounting/accounting.h"
#include "inproc/hooks/real.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;

namespace {

std::atomic<rlim64_t> g_added{0};  // to the present limit. Relaxed: a figure of its own

template <class Limit>
void add(Limit* limit, rlim64_t bytes) noexcept {
  for (auto* value : {&limit->rlim_cur, &limit->rlim_max}) {
    if (*value != RLIM64_INFINITY && *value < RLIM64_INFINITY - bytes) *value += bytes;
  }
}

template <class Limit>
void take_off(Limit* limit, rlim64_t bytes) noexcept {
  for (auto* value : {&limit->rlim_cur, &limit->rlim_max}) {
    if (*value != RLIM64_INFINITY && *value >= bytes) *value -= bytes;
  }
}

// `set(limit)` asks libc. A hard limit that may not be raised is left as the program wants it.
template <class Limit, class Set>
int set_with_us(int resource, const Limit* wanted, Set set) noexcept {
  if (resource != RLIMIT_AS || !wanted) return set(wanted);
  rlim64_t ours = accounting().reserved_bytes();
  Limit bigger = *wanted;
  add(&bigger, ours);
  int saved = errno;
  int result = set(&bigger);
  if (result != 0 && errno == EPERM) {
    errno = saved;
    ours = 0;
    result = set(wanted);
  }
  if (result == 0) g_added.store(ours, std::memory_order_relaxed);
  return result;
}

template <class Limit>
int told_without_us(int result, int resource, Limit* limit, rlim64_t added) noexcept {
  if (result == 0 && resource == RLIMIT_AS && limit) take_off(limit, added);
  return result;
}

// Of another process nothing is known.
template <class Limit, class Ask>
int changed(Ask ask, pid_t pid, int resource, const Limit* wanted, Limit* old) noexcept {
  if (pid != 0 && pid != getpid()) return ask(wanted);
  rlim64_t added = g_added.load(std::memory_order_relaxed);
  return told_without_us(set_with_us(resource, wanted, ask), resource, old, added);
}

}  // namespace

EXPORTED int setrlimit(__rlimit_resource_t resource, const rlimit* limit) noexcept {
  return set_with_us(resource, limit,
                     [&](const rlimit* l) { return real().setrlimit(resource, l); });
}

EXPORTED int setrlimit64(__rlimit_resource_t resource, const rlimit64* limit) noexcept {
  return set_with_us(resource, limit,
                     [&](const rlimit64* l) { return real().setrlimit64(resource, l); });
}

EXPORTED int getrlimit(__rlimit_resource_t resource, rlimit* limit) noexcept {
  return told_without_us(real().getrlimit(resource, limit), resource, limit,
                         g_added.load(std::memory_order_relaxed));
}

EXPORTED int getrlimit64(__rlimit_resource_t resource, rlimit64* limit) noexcept {
  return told_without_us(real().getrlimit64(resource, limit), resource, limit,
                         g_added.load(std::memory_order_relaxed));
}

EXPORTED int prlimit(pid_t pid, __rlimit_resource resource, const rlimit* limit,
                     rlimit* old) noexcept {
  return changed([&](const rlimit* l) { return real().prlimit(pid, resource, l, old); }, pid,
                 resource, limit, old);
}

EXPORTED int prlimit64(pid_t pid, __rlimit_resource resource, const rlimit64* limit,
                       rlimit64* old) noexcept {
  return changed([&](const rlimit64* l) { return real().prlimit64(pid, resource, l, old); }, pid,
                 resource, limit, old);
}
