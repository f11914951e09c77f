#include "lib/open_scopes.h"

#include <algorithm>
#include <iterator>

#include "lib/journal.h"
#include "lib/scope_node.h"

namespace tenure {
namespace lib {

void OpenScopes::add(detail::ScopeNode& node) {
  std::lock_guard lock(mutex_);
  nodes_.emplace(&node, node.weak_from_this());
}

void OpenScopes::remove(const detail::ScopeNode& node) noexcept {
  std::lock_guard lock(mutex_);
  nodes_.erase(&node);
}

std::vector<std::shared_ptr<detail::ScopeNode>> OpenScopes::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<detail::ScopeNode>> nodes;
  for (const auto& entry : nodes_) {
    if (auto node = entry.second.lock()) nodes.push_back(std::move(node));
  }
  return nodes;
}

LeakReport OpenScopes::live_now() const {
  LeakReport all_of_it{"the process", true, 0, {}};
  for (const auto& node : all()) {
    LeakReport one = node->survivors();
    all_of_it.bytes += one.bytes;
    std::move(one.survivors.begin(), one.survivors.end(), std::back_inserter(all_of_it.survivors));
  }
  std::stable_sort(all_of_it.survivors.begin(), all_of_it.survivors.end(),
                   [](const Owner& a, const Owner& b) { return a.bytes > b.bytes; });
  return all_of_it;
}

OpenScopes& open_scopes() {
  // The journal comes first, so that its report at exit runs after the scopes' own destructors.
  static OpenScopes* scopes = (static_cast<void>(journal()), new OpenScopes);
  return *scopes;
}

}  // namespace lib

LeakReport live_now() { return lib::open_scopes().live_now(); }

}  // namespace tenure
