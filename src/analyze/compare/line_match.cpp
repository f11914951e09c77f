#include "analyze/compare/line_match.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace tenure::analyze {
namespace {

std::string_view base_name(std::string_view file) { return file.substr(file.rfind('/') + 1); }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// One blank for several, none at the ends: reformatting is no other statement.
std::string without_layout(std::string_view text) {
  std::string words;
  for (char c : text) {
    if (!is_blank(c))
      words += c;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  if (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

bool is_module_level(const std::string& function) {
  return function.empty() || function == "<module>";
}

// The names on the way there: the words of a holder also have lines and counts, which change.
std::string holder_of(const std::optional<Holder>& holder) {
  std::string names;
  if (!holder) return names;
  for (const HolderStep& step : holder->path)
    names += (names.empty() ? "" : ", ") + step.type + " " + step.name;
  return names;
}

LineKey key_of(const Place& place) {
  return {place.file, place.line, place.function, without_layout(place.source), "", ""};
}

struct Candidate {
  size_t before, after;
  std::tuple<bool, bool, bool, bool, int> distance;
};

Candidate candidate(const std::vector<LineKey>& before, size_t b, const std::vector<LineKey>& after,
                    size_t a) {
  const LineKey &x = before[b], &y = after[a];
  return {b,
          a,
          {x.file != y.file, base_name(x.file) != base_name(y.file), x.kind != y.kind,
           x.holder != y.holder, std::abs(x.line - y.line)}};
}

}  // namespace

LineKey key_of(const Finding& finding) {
  LineKey key = finding.where.empty() ? LineKey{} : key_of(finding.where.front());
  key.kind = code(finding.kind);
  key.holder = holder_of(finding.holder);
  return key;
}

LineKey key_of(const ConsideredLine& line) {
  LineKey key = key_of(line.place);
  key.holder = holder_of(line.holder);
  return key;
}

bool is_same_line(const LineKey& a, const LineKey& b) {
  if (a.function != b.function) return false;
  if (!a.statement.empty() && !b.statement.empty()) return a.statement == b.statement;
  if (base_name(a.file) != base_name(b.file)) return false;
  if (a.file.empty()) return a.kind == b.kind;  // no line is known: the same kind is the same cause
  return !is_module_level(a.function) || a.line == b.line;
}

std::vector<std::optional<size_t>> match_lines(const std::vector<LineKey>& before,
                                               const std::vector<LineKey>& after) {
  std::vector<Candidate> candidates;
  for (size_t b = 0; b < before.size(); ++b) {
    for (size_t a = 0; a < after.size(); ++a) {
      if (is_same_line(before[b], after[a])) candidates.push_back(candidate(before, b, after, a));
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& x, const auto& y) { return x.distance < y.distance; });
  std::vector<std::optional<size_t>> matches(before.size());
  std::vector<bool> is_taken(after.size());
  for (const Candidate& c : candidates) {
    if (matches[c.before] || is_taken[c.after]) continue;
    matches[c.before] = c.after;
    is_taken[c.after] = true;
  }
  return matches;
}

}  // namespace tenure::analyze
