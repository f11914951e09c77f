#include "inproc/boot/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "inproc/os/elf_symbols.h"
#include "inproc/os/sandbox.h"
#include "ledger/protocol.h"

namespace tenure::inproc {
namespace {

constexpr const char* kLinkNames[] = {ledger::kSocketVariable, ledger::kMainPidVariable,
                                      ledger::kHeapVariable, ledger::kArraysVariable,
                                      ledger::kTextVariable};
constexpr int kLinks = 5;
constexpr size_t kMostBytes = 4096;
char g_links[kLinks][kMostBytes];  // "NAME=value"
char g_library[kMostBytes];        // our own path, as the loader knows it
bool g_is_traced;                  // all of it was there

// The value if the entry sets the variable, else nullptr.
const char* value_in(const char* entry, const char* name) noexcept {
  size_t n = strlen(name);
  return strncmp(entry, name, n) == 0 && entry[n] == '=' ? entry + n + 1 : nullptr;
}

const char* find_value(char* const* environment, const char* name) noexcept {
  for (; *environment; ++environment) {
    if (const char* value = value_in(*environment, name)) return value;
  }
  return nullptr;
}

bool remember_link(int i) noexcept {
  const char* value = getenv(kLinkNames[i]);
  size_t name = strlen(kLinkNames[i]), length = value ? strlen(value) : kMostBytes;
  if (name + 1 + length + 1 > kMostBytes) return false;
  memcpy(g_links[i], kLinkNames[i], name);
  g_links[i][name] = '=';
  memcpy(g_links[i] + name + 1, value, length + 1);
  return true;
}

bool remember_library() noexcept {
  ObjectInfo own{};
  if (!object_of(reinterpret_cast<uintptr_t>(&remember_library), &own)) return false;
  size_t length = strlen(own.path);
  if (length == 0 || length + 1 > kMostBytes) return false;
  memcpy(g_library, own.path, length + 1);
  return true;
}

bool loads_us(const char* preload) noexcept {
  return preload && strstr(preload, g_library) != nullptr;
}

bool lacks_us(char* const* environment) noexcept {
  if (!loads_us(find_value(environment, ledger::kPreloadVariable))) return true;
  for (const char* name : kLinkNames) {
    if (!find_value(environment, name)) return true;
  }
  return false;
}

bool is_ours(const char* entry) noexcept {
  if (value_in(entry, ledger::kPreloadVariable)) return true;
  for (const char* name : kLinkNames) {
    if (value_in(entry, name)) return true;
  }
  return false;
}

char* append(char* to, const char* text) noexcept {
  size_t n = strlen(text);
  memcpy(to, text, n + 1);
  return to + n;
}

// "LD_PRELOAD=ours:theirs"; theirs alone if it names us already.
void write_preload(char* to, const char* theirs) noexcept {
  to = append(append(to, ledger::kPreloadVariable), "=");
  if (!loads_us(theirs)) to = append(to, g_library);
  if (!loads_us(theirs) && theirs && *theirs) to = append(to, ":");
  if (theirs) append(to, theirs);
}

// "LD_PRELOAD=theirs"; false if nothing is left of it.
bool write_preload_without_us(char* to, const char* theirs) noexcept {
  to = append(append(to, ledger::kPreloadVariable), "=");
  const char* ours = strstr(theirs, g_library);
  const char* rest = ours + strlen(g_library);
  rest += *rest == ':' || *rest == ' ';
  memcpy(to, theirs, static_cast<size_t>(ours - theirs));
  append(to + (ours - theirs), rest);
  return *to != '\0';
}

size_t count_of(char* const* environment) noexcept {
  size_t count = 0;
  while (environment[count]) ++count;
  return count;
}

// False as well for what cannot be read, and for a name that is still to be found on PATH: shells find it themselves.
bool is_sanitized(const char* path) noexcept {
  if (!path || !strchr(path, '/')) return false;
  const int saved = errno;
  long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  auto read = [fd](void* to, size_t bytes, uint64_t at) {
    return syscall(SYS_pread64, fd, to, bytes, at) == static_cast<long>(bytes);
  };
  const bool answer = fd >= 0 && SanitizedProgram(read).is_sanitized();
  if (fd >= 0) syscall(SYS_close, fd);
  errno = saved;
  return answer;
}

bool is_set_to(const char* name, const char* wanted) noexcept {
  const char* value = getenv(name);
  return value && strcmp(value, wanted) == 0;
}

}  // namespace

void remember_environment() noexcept {
  g_is_traced = remember_library();
  for (int i = 0; i < kLinks; ++i) g_is_traced = remember_link(i) && g_is_traced;
}

bool wants_territory() noexcept { return is_set_to(ledger::kHeapVariable, ledger::kHeapOfTenure); }

bool wants_guard() noexcept { return is_set_to(ledger::kHeapVariable, ledger::kGuardedHeap); }

bool wants_small_arrays() noexcept {
  return is_set_to(ledger::kArraysVariable, ledger::kAllArrays);
}

bool wants_text() noexcept { return !is_set_to(ledger::kTextVariable, ledger::kNoText); }

Passage passage_to(const char* path, char* const* environment) noexcept {
  if (!environment || !g_is_traced) return Passage::as_given;
  const char* preload = find_value(environment, ledger::kPreloadVariable);
  if (find_value(environment, ledger::kLeaveOutVariable) || is_sandboxed() ||
      (preload && names_sanitizer(preload)) || is_sanitized(path))
    return loads_us(preload) ? Passage::leave_us_out : Passage::as_given;
  return lacks_us(environment) ? Passage::put_us_back : Passage::as_given;
}

size_t room_for_passage(Passage passage, char* const* environment) noexcept {
  if (passage == Passage::as_given) return 0;
  const char* theirs = find_value(environment, ledger::kPreloadVariable);
  size_t text =
      sizeof ledger::kPreloadVariable + 2 + strlen(g_library) + (theirs ? strlen(theirs) : 0);
  return (count_of(environment) + kLinks + 2) * sizeof(char*) + text;
}

char* const* changed_environment(Passage passage, char* const* environment, void* room) noexcept {
  if (!room) return environment;
  const size_t count = count_of(environment);
  char** entries = static_cast<char**>(room);
  char* preload = reinterpret_cast<char*>(entries + count + kLinks + 2);
  const char* theirs = find_value(environment, ledger::kPreloadVariable);
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!is_ours(environment[i])) entries[used++] = environment[i];
  }
  if (passage == Passage::put_us_back) {
    write_preload(preload, theirs);
    entries[used++] = preload;
    for (char* link : g_links) entries[used++] = link;
  } else if (write_preload_without_us(preload, theirs)) {
    entries[used++] = preload;
  }
  entries[used] = nullptr;
  return entries;
}

}  // namespace tenure::inproc
