// lib/open_scopes.h: the scopes without a parent that are open, so that the end of the program can be told of.
// World: the C++ library. Any thread; the mutex is never held while a tree's is taken.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tenure/leak_report.h"

namespace tenure::detail {
class ScopeNode;
}

namespace tenure::lib {

class OpenScopes {
 public:
  void add(detail::ScopeNode& node);
  void remove(const detail::ScopeNode& node) noexcept;
  [[nodiscard]] LeakReport live_now() const;

 private:
  [[nodiscard]] std::vector<std::shared_ptr<detail::ScopeNode>> all() const;

  mutable std::mutex mutex_;
  std::map<const detail::ScopeNode*, std::weak_ptr<detail::ScopeNode>> nodes_;  // guarded by mutex_
};

// Never destroyed: a scope with static storage may close after every static of ours is gone.
[[nodiscard]] OpenScopes& open_scopes();

}  // namespace tenure::lib
