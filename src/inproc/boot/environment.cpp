#include "inproc/boot/environment.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/protocol.h"

namespace tenure::inproc {
namespace {

constexpr const char* kNames[kOurVariables] = {ledger::kPreloadVariable, ledger::kSocketVariable,
                                               ledger::kMainPidVariable};
constexpr size_t kMostBytes = 4096;
char g_entries[kOurVariables][kMostBytes];
bool g_is_traced;

bool sets(const char* entry, const char* name) {
  size_t n = strlen(name);
  return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

}  // namespace

void remember_environment() noexcept {
  g_is_traced = true;
  for (int i = 0; i < kOurVariables; ++i) {
    const char* value = getenv(kNames[i]);
    size_t name = strlen(kNames[i]), length = value ? strlen(value) : kMostBytes;
    if (name + 1 + length + 1 > kMostBytes) {
      g_is_traced = false;
      return;
    }
    memcpy(g_entries[i], kNames[i], name);
    g_entries[i][name] = '=';
    memcpy(g_entries[i] + name + 1, value, length + 1);
  }
}

bool is_traced() noexcept { return g_is_traced; }

const char* our_variable(int i) noexcept { return g_entries[i]; }

bool is_ours(const char* entry) noexcept {
  for (const char* name : kNames) {
    if (sets(entry, name)) return true;
  }
  return false;
}

bool lacks_ours(char* const* environment) noexcept {
  int found = 0;
  for (; *environment; ++environment) found += is_ours(*environment);
  return found < kOurVariables;
}

}  // namespace tenure::inproc
