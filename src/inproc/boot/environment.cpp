#include "inproc/boot/environment.h"

#include <stdlib.h>
#include <string.h>

#include "inproc/os/elf_symbols.h"
#include "ledger/protocol.h"

namespace tenure::inproc {
namespace {

constexpr const char* kLinkNames[] = {ledger::kSocketVariable, ledger::kMainPidVariable,
                                      ledger::kHeapVariable};
constexpr int kLinks = 3;
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

}  // namespace

void remember_environment() noexcept {
  g_is_traced = remember_library();
  for (int i = 0; i < kLinks; ++i) g_is_traced = remember_link(i) && g_is_traced;
}

bool wants_territory() noexcept {
  const char* value = getenv(ledger::kHeapVariable);
  return value && strcmp(value, ledger::kHeapOfTenure) == 0;
}

size_t room_to_put_us_back(char* const* environment) noexcept {
  if (!environment || !g_is_traced || !lacks_us(environment)) return 0;
  size_t count = 0;
  while (environment[count]) ++count;
  const char* theirs = find_value(environment, ledger::kPreloadVariable);
  size_t text =
      sizeof ledger::kPreloadVariable + 2 + strlen(g_library) + (theirs ? strlen(theirs) : 0);
  return (count + kLinks + 2) * sizeof(char*) + text;
}

char* const* put_us_back(char* const* environment, void* room) noexcept {
  if (!room) return environment;
  size_t count = 0, used = 0;
  while (environment[count]) ++count;
  char** entries = static_cast<char**>(room);
  char* preload = reinterpret_cast<char*>(entries + count + kLinks + 2);
  write_preload(preload, find_value(environment, ledger::kPreloadVariable));
  for (size_t i = 0; i < count; ++i) {
    if (!is_ours(environment[i])) entries[used++] = environment[i];
  }
  entries[used++] = preload;
  for (char* link : g_links) entries[used++] = link;
  entries[used] = nullptr;
  return entries;
}

}  // namespace tenure::inproc
