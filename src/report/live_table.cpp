#include "report/live_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/bytes.h"
#include "report/live_lines.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"
#include "report/why.h"

namespace tenure::report {
namespace {

using Rows = std::vector<std::string>;

constexpr int kBytes = 9;           // `1023 KiB `
constexpr int kWord = 9;            // `no growth`
constexpr int kNarrow = 60;         // columns, below which MOST and CAME TO are left out
constexpr int kWide = 110;          // columns, from which on the holder has a column
constexpr int kLabel = 10;          // of the details
constexpr size_t kMostHolder = 60;  // columns

// Where the columns are, from the right end of one to that of the next.
struct Columns {
  bool has_all;  // also MOST and CAME TO
  int holder;    // columns of the holder; 0: it has none
  int place;
};

Columns columns_in(int width) {
  Columns columns{width >= kNarrow, 0, 0};
  const int figures = 2 + 2 * kBytes + 2 + (columns.has_all ? kBytes + 1 + kWord + 2 : 0);
  const int rest = std::max(width - figures - 2, 1);
  if (width >= kWide) columns.holder = std::min(rest / 2, static_cast<int>(kMostHolder));
  columns.place = rest - columns.holder - (columns.holder > 0 ? 2 : 0);
  return columns;
}

// The selected line is marked, so that it is known without colours too.
std::string cells(const std::string& mark, const std::string (&figures)[4],
                  const std::string& place, const std::string& holder, const Columns& columns) {
  std::string text = padded(mark, 2) + right_aligned(figures[0], kBytes);
  if (columns.has_all) text += " " + right_aligned(figures[1], kBytes);
  text += "  " + right_aligned(figures[2], kBytes) + "  ";
  if (columns.has_all) text += padded(figures[3], kWord) + "  ";
  if (columns.holder == 0) return text + cut(place, columns.place);
  return text + padded(cut(place, columns.place), columns.place) + "  " +
         cut(holder, columns.holder);
}

std::string head(const LiveView& view, const Columns& columns) {
  const auto name = [&](LiveOrder order, const char* text) {
    return std::string(text) + (view.order == order ? "▾" : "");
  };
  return cells("",
               {name(LiveOrder::live, "LIVE"), name(LiveOrder::most, "MOST"),
                name(LiveOrder::growth, columns.has_all ? "PER STEP" : "STEP"), "CAME TO"},
               name(LiveOrder::place, "MADE AT"), "KEPT BY", columns);
}

std::string growth_text(const LiveLine& line) {
  return line.line.bytes_per_step > 0 ? human_bytes(line.line.bytes_per_step) : "-";
}

std::string line_row(const LiveLine& line, const std::string& directory, bool is_selected,
                     const Columns& columns) {
  const analyze::ConsideredLine& seen = line.line;
  const bool is_marked = !columns.has_all && analyze::is_leak(seen.what);
  return cells(std::string(is_selected ? ">" : " ") + (is_marked ? "!" : ""),
               {human_bytes(line.live_bytes), human_bytes(seen.most_bytes), growth_text(line),
                word_of_class(seen.what)},
               place_text(seen.place, directory),
               seen.holder ? printable(holder_text(*seen.holder)) : "", columns);
}

std::string painted(const std::string& row, const LiveLine& line, bool is_selected,
                    const Paint& paint) {
  if (analyze::is_leak(line.line.what)) return paint.red(row);
  return is_selected ? paint.bold(row) : row;
}

void add_row(const char* label, const std::string& words, int width, Rows& rows) {
  const std::string text = printable(words);
  bool is_first = true;
  for (const std::string& part : wrapped(text, std::max(width - kLabel, 8))) {
    rows.push_back(cut(padded(is_first ? label : "", kLabel) + part, width));
    is_first = false;
  }
}

std::string steps_text(const analyze::ConsideredLine& line) {
  if (line.bytes_per_step <= 0) return "";
  return fmt::format(", {} every {}", human_bytes(line.bytes_per_step), rendered(line.per));
}

std::string nothing_text(const LiveState& state, const LiveView& view) {
  if (!state.lines.empty())
    return "  no line has \"" + printable(view.filter) + "\"; Esc ends the filter";
  return "  no line held enough to be looked at so far";
}

}  // namespace

std::vector<std::string> table_rows(const LiveState& state, const LiveView& view, int room,
                                    const TableStyle& style) {
  Rows rows;
  if (room < 1) return rows;
  const Columns columns = columns_in(style.width);
  rows.push_back(style.paint.dim(cut(head(view, columns), style.width)));
  const std::vector<const LiveLine*> lines = shown_lines(state, view);
  if (lines.empty()) rows.push_back(cut(nothing_text(state, view), style.width));
  const size_t selected = selected_in(lines, view), page = static_cast<size_t>(room) - 1;
  const size_t first = page > 0 && selected >= page ? selected - page + 1 : 0;
  for (size_t at = first; at < std::min(first + page, lines.size()); ++at) {
    const bool is_selected = style.has_selection && at == selected;
    const std::string row =
        cut(line_row(*lines[at], state.directory, is_selected, columns), style.width);
    rows.push_back(painted(row, *lines[at], is_selected, style.paint));
  }
  return rows;
}

std::vector<std::string> detail_rows(const LiveState& state, const LiveView& view, int width) {
  const std::vector<const LiveLine*> lines = shown_lines(state, view);
  Rows rows;
  if (lines.empty()) return rows;
  const LiveLine& line = *lines[selected_in(lines, view)];
  const analyze::Place& place = line.line.place;
  std::string where = padded("made at", kLabel) + place_text(place, state.directory);
  if (!place.source.empty()) where += "   " + printable(place.source);
  rows.push_back(cut(where, width));
  add_row("came to",
          std::string(word_of_class(line.line.what)) + steps_text(line.line) + ": " +
              sentence_of(line.line.rule),
          width, rows);
  const char* unknown =
      state.findings.program.is_running ? "not known; s asks for a snapshot" : "not known";
  add_row("kept by", line.line.holder ? holder_text(*line.line.holder) : unknown, width, rows);
  return rows;
}

std::string rule_row(int width) {
  std::string row;
  for (int at = 0; at < width; ++at) row += "─";
  return row;
}

}  // namespace tenure::report
