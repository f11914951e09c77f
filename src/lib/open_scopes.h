// lib/open_scopes.h: the scopes without a parent that are open, so that the end of the program can be told of.
// World: the C++ library. Any thread; the mutex is never held while a tree's is taken.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "tenure/leak_report.h"

namespace tenure::lib {

class OpenScopes {
 public:
  using Survivors = std::function<LeakReport()>;  // of a scope; none once it is gone

  void add(const void* scope, Survivors survivors);
  void remove(const void* scope) noexcept;
  [[nodiscard]] LeakReport live_now() const;

 private:
  [[nodiscard]] std::vector<Survivors> all() const;

  mutable std::mutex mutex_;
  std::map<const void*, Survivors> scopes_;  // guarded by mutex_
};

// Never destroyed: a scope with static storage may close after every static of ours is gone.
[[nodiscard]] OpenScopes& open_scopes();

}  // namespace tenure::lib
