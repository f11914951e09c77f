#include "base/nearest_name.h"

#include <algorithm>
#include <utility>

namespace tenure {

size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<size_t> before, row(to.size() + 1), next(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t changed = row[j - 1] + (from[i - 1] != to[j - 1]);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, changed});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, next);
  }
  return row[to.size()];
}

std::string nearest_name(std::string_view typed, const std::vector<std::string>& names) {
  std::string nearest;
  size_t least = 0;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(typed, name);
    if (distance > std::max<size_t>(1, name.size() / 3)) continue;
    if (nearest.empty() || distance < least) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(typed, names);
  return nearest.empty() ? "" : "; did you mean `" + nearest + "`?";
}

}  // namespace tenure
