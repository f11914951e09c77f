#include "report/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/bytes.h"
#include "report/paint.h"
#include "report/text.h"

namespace tenure::report {
namespace {

constexpr size_t kColumns = 5;  // figures; where follows
constexpr int kSmallestPlace = 24;
using Cells = std::array<std::string, kColumns>;
using Widths = std::array<int, kColumns>;

Cells cells_of(const SiteRow& row) {
  const std::string error =
      row.relative_error > 0 ? "\u00b1" + human_share(row.relative_error) : std::string();
  return {human_bytes(row.at_peak_bytes), human_bytes(row.live_bytes), human_bytes(row.total_bytes),
          human_count(row.at_peak_count), error};
}

Cells head_of(const std::vector<SiteRow>& rows) {
  const bool is_exact = std::none_of(rows.begin(), rows.end(),
                                     [](const SiteRow& row) { return row.relative_error > 0; });
  return {"at peak", "live", "total", "blocks at peak", is_exact ? "" : "error"};
}

Widths widths_of(const std::vector<Cells>& table) {
  Widths widths{};
  for (const Cells& cells : table) {
    for (size_t at = 0; at < kColumns; ++at) widths[at] = std::max(widths[at], width_of(cells[at]));
  }
  return widths;
}

// A column without any text takes no room.
std::string figures_text(const Cells& cells, const Widths& widths) {
  std::string text;
  for (size_t at = 0; at < kColumns; ++at) {
    if (widths[at] > 0) text += "  " + right_aligned(cells[at], widths[at]);
  }
  return text + "  ";
}

std::string where_text(const SiteRow& row) {
  const std::string kind = printable(row.kind);
  return printable(row.place) + (kind.empty() ? "" : "  [" + kind + "]");
}

}  // namespace

std::string sites_table(const std::vector<SiteRow>& rows, const SitesOptions& options) {
  if (rows.empty()) return "  no sites were seen\n";
  const Paint paint(options.has_color);
  std::vector<Cells> table = {head_of(rows)};
  std::transform(rows.begin(), rows.end(), std::back_inserter(table), cells_of);
  const Widths widths = widths_of(table);

  std::string text = paint.bold(figures_text(table.front(), widths) + "where") + "\n";
  for (size_t at = 0; at < rows.size(); ++at) {
    const std::string figures = figures_text(table[at + 1], widths);
    const int room = std::max(options.width - width_of(figures), kSmallestPlace);
    text += figures + cut(where_text(rows[at]), room) + "\n";
  }
  return text;
}

}  // namespace tenure::report
