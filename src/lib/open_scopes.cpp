#include "lib/open_scopes.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <utility>

#include "lib/journal.h"

namespace tenure {
namespace lib {
namespace {

void tell_exit() noexcept try {
  journal().exit(open_scopes().live_now());
} catch (const std::exception&) {
  count_untold();
}

}  // namespace

void OpenScopes::add(const void* scope, Survivors survivors) {
  std::lock_guard lock(mutex_);
  scopes_.emplace(scope, std::move(survivors));
}

void OpenScopes::remove(const void* scope) noexcept {
  std::lock_guard lock(mutex_);
  scopes_.erase(scope);
}

std::vector<OpenScopes::Survivors> OpenScopes::all() const {
  std::lock_guard lock(mutex_);
  std::vector<Survivors> all;
  for (const auto& entry : scopes_) all.push_back(entry.second);
  return all;
}

LeakReport OpenScopes::live_now() const {
  LeakReport all_of_it{"the process", true, 0, {}};
  for (const Survivors& survivors : all()) {
    LeakReport one = survivors();
    all_of_it.bytes += one.bytes;
    std::move(one.survivors.begin(), one.survivors.end(), std::back_inserter(all_of_it.survivors));
  }
  std::stable_sort(all_of_it.survivors.begin(), all_of_it.survivors.end(),
                   [](const Owner& a, const Owner& b) { return a.bytes > b.bytes; });
  return all_of_it;
}

OpenScopes& open_scopes() {
  static OpenScopes* scopes = [] {
    static_cast<void>(journal());  // opened now: the program may change its folder later
    std::atexit(tell_exit);        // before the first scope, so after the scopes' own destructors
    return new OpenScopes;
  }();
  return *scopes;
}

}  // namespace lib

LeakReport live_now() { return lib::open_scopes().live_now(); }

bool record_to(const std::string& file) {
  static_cast<void>(lib::open_scopes());  // the exit is told of without any scope too
  return lib::journal().open(file);
}

}  // namespace tenure
