#include "lib/owners.h"

#include <algorithm>

namespace tenure::lib {

void Owners::add(const std::string& scope, const std::string& name, const Mark& born,
                 std::size_t count, std::size_t bytes) {
  Key key{scope, name, born.line.file_name(), born.line.line()};
  auto [at, is_new] = groups_.try_emplace(std::move(key));
  Group& group = at->second;
  if (is_new || born.at < group.born.at) group.born = born;
  group.count += count;
  group.bytes += bytes;
  bytes_ += bytes;
}

std::vector<Owner> Owners::biggest(std::size_t most) const {
  std::vector<const std::map<Key, Group>::value_type*> order;
  for (const auto& entry : groups_) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->second.bytes > b->second.bytes; });
  order.resize(std::min(order.size(), most));
  std::vector<Owner> owners;
  for (const auto* entry : order) {
    const auto& [scope, name, file, line] = entry->first;
    const Group& group = entry->second;
    owners.push_back({name, scope, to_event(group.born, "its owner"), group.count, group.bytes});
  }
  return owners;
}

}  // namespace tenure::lib
