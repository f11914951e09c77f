#include "analyze/compare/difference.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/compare/growth_figure.h"
#include "analyze/compare/line_match.h"
#include "analyze/compare/rules.h"

namespace tenure::analyze {
namespace {

bool is_trouble(const Finding& finding) {
  return finding.severity == Severity::error || is_growth(finding);
}

template <class Item>
std::vector<LineKey> keys_of(const std::vector<Item>& items) {
  std::vector<LineKey> keys;
  for (const Item& item : items) keys.push_back(key_of(item));
  return keys;
}

Change change_of(const Finding& before, const Finding& after) {
  if (is_lifetime_error(before) || is_lifetime_error(after)) return Change::same;
  const double was = growth_of(before), is = growth_of(after);
  if (std::max(was, is) * (1 - kSameGrowthShare) <= std::min(was, is)) return Change::same;
  return is > was ? Change::worse : Change::better;
}

Change change_of(const Finding* before, const Finding* after, bool is_unsure) {
  const bool was_trouble = before && is_trouble(*before);
  const bool is_trouble_now = after && is_trouble(*after);
  if (was_trouble && is_trouble_now) return change_of(*before, *after);
  if (is_trouble_now) return Change::appeared;
  return is_unsure && !after ? Change::unclear : Change::gone;
}

class FindingComparison {
 public:
  FindingComparison(const Findings& before, const Findings& after)
      : before_(before.findings), after_(after.findings) {
    is_unsure_ =
        after.verdict == Verdict::unknown || after.losses.contains(code(OtherLoss::unreadable));
  }

  std::vector<FindingChange> changes() {
    const auto matches = match_lines(keys_of(before_), keys_of(after_));
    std::vector<bool> is_matched(after_.size());
    for (size_t b = 0; b < before_.size(); ++b) {
      if (matches[b]) is_matched[*matches[b]] = true;
      add(b, matches[b]);
    }
    for (size_t a = 0; a < after_.size(); ++a) {
      if (!is_matched[a]) add(std::nullopt, a);
    }
    std::stable_sort(changes_.begin(), changes_.end(), [this](const auto& x, const auto& y) {
      return x.change != y.change ? x.change < y.change : bytes_of(x) > bytes_of(y);
    });
    return std::move(changes_);
  }

 private:
  void add(std::optional<size_t> b, std::optional<size_t> a) {
    const Finding* before = b ? &before_[*b] : nullptr;
    const Finding* after = a ? &after_[*a] : nullptr;
    const bool matters = (before && is_trouble(*before)) || (after && is_trouble(*after));
    if (matters) changes_.push_back({change_of(before, after, is_unsure_), b, a});
  }

  uint64_t bytes_of(const FindingChange& change) const {
    return change.after ? after_[*change.after].bytes : before_[*change.before].bytes;
  }

  const std::vector<Finding>& before_;
  const std::vector<Finding>& after_;
  bool is_unsure_ = false;
  std::vector<FindingChange> changes_;
};

// The processes of a run together: a line that all workers run is one line.
std::vector<ConsideredLine> by_line(const std::vector<ConsideredLine>& considered) {
  std::vector<ConsideredLine> lines;
  std::map<std::tuple<std::string, int, std::string>, size_t> known;
  for (const ConsideredLine& line : considered) {
    const Place& place = line.place;
    auto [found, is_new] =
        known.try_emplace({place.file, place.line, place.function}, lines.size());
    if (is_new)
      lines.push_back(line);
    else
      lines[found->second].most_bytes += line.most_bytes;
  }
  return lines;
}

LineMemory memory_of(const ConsideredLine& line) {
  return {line.place, line.holder, line.what, line.most_bytes};
}

uint64_t size_of(const LineChange& change) {
  return std::max(change.bytes_before(), change.bytes_after()) -
         std::min(change.bytes_before(), change.bytes_after());
}

bool is_worth_a_row(const LineChange& change) {
  const auto larger = static_cast<double>(std::max(change.bytes_before(), change.bytes_after()));
  const uint64_t size = size_of(change);
  return size >= kLeastLineChange && static_cast<double>(size) >= larger * kLeastLineChangeShare;
}

std::vector<LineChange> line_changes(const Findings& before, const Findings& after) {
  const std::vector<ConsideredLine> was = by_line(before.considered),
                                    is = by_line(after.considered);
  const auto matches = match_lines(keys_of(was), keys_of(is));
  std::vector<bool> is_matched(is.size());
  std::vector<LineChange> changes;
  for (size_t b = 0; b < was.size(); ++b) {
    changes.push_back({memory_of(was[b]), std::nullopt});
    if (!matches[b]) continue;
    changes.back().after = memory_of(is[*matches[b]]);
    is_matched[*matches[b]] = true;
  }
  for (size_t a = 0; a < is.size(); ++a) {
    if (!is_matched[a]) changes.push_back({std::nullopt, memory_of(is[a])});
  }
  std::erase_if(changes, [](const LineChange& change) { return !is_worth_a_row(change); });
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& x, const auto& y) { return size_of(x) > size_of(y); });
  return changes;
}

}  // namespace

Difference compare(const Findings& before, const Findings& after) {
  return {FindingComparison(before, after).changes(), line_changes(before, after)};
}

}  // namespace tenure::analyze
