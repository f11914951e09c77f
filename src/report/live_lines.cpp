#include "report/live_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/place.h"
#include "report/sentences.h"

namespace tenure::report {
namespace {

// Of ASCII; other letters must be typed as they are.
std::string lower(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

bool is_shown(const LiveLine& line, const std::string& directory, const std::string& filter) {
  if (filter.empty()) return true;
  std::string text = place_text(line.line.place, directory);
  if (line.line.holder) text += " " + holder_text(*line.line.holder);
  return lower(text).find(filter) != std::string::npos;
}

double figure_of(const LiveLine& line, LiveOrder order) {
  switch (order) {
    case LiveOrder::live:
      return static_cast<double>(line.live_bytes);
    case LiveOrder::most:
      return static_cast<double>(line.line.most_bytes);
    case LiveOrder::growth:
      return line.line.bytes_per_step;
    case LiveOrder::place:
      break;
  }
  return 0;
}

}  // namespace

std::string key_of(const LiveLine& line) {
  const analyze::Place& place = line.line.place;
  return fmt::format("{}:{}:{}", place.file, place.line, place.function);
}

std::vector<const LiveLine*> shown_lines(const LiveState& state, const LiveView& view) {
  const std::string filter = lower(view.filter);
  std::vector<const LiveLine*> lines;
  for (const LiveLine& line : state.lines) {
    if (is_shown(line, state.directory, filter)) lines.push_back(&line);
  }
  // Figures of lines that are alike change places at every look: the place decides between them.
  std::stable_sort(lines.begin(), lines.end(), [&](const LiveLine* a, const LiveLine* b) {
    const double left = figure_of(*a, view.order), right = figure_of(*b, view.order);
    if (left != right) return left > right;
    const analyze::Place &p = a->line.place, &q = b->line.place;
    return p.file != q.file ? p.file < q.file : p.line < q.line;
  });
  return lines;
}

size_t selected_in(const std::vector<const LiveLine*>& lines, const LiveView& view) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const LiveLine* line) {
    return key_of(*line) == view.selected;
  });
  return found == lines.end() ? 0 : static_cast<size_t>(found - lines.begin());
}

}  // namespace tenure::report
