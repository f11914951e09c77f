#include "report/finding_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/bytes.h"
#include "report/place.h"
#include "report/process_words.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::Finding;
using analyze::Place;

constexpr int kIndent = 5;         // of the rows below a headline
constexpr int kLabelWidth = 9;     // `created` and two spaces
constexpr int kKindWidth = 20;     // the column of kinds at the right edge
constexpr int kWorthShowing = 12;  // columns left for a source line
constexpr size_t kMostPlaces = 3;  // of one role

// 0: none was measured, or nothing grew.
double slope_of(const Finding& finding) {
  const double slope = finding.bytes_per_step.value_or(0);
  return std::isfinite(slope) && slope > 0 ? slope : 0;
}

// What ended a thing, in the word its users have for it.
std::string ended_label(Kind kind) {
  if (kind == Kind::closed_session || kind == Kind::queue_closed || kind == Kind::closed_file)
    return "closed";
  if (kind == Kind::use_after_free || kind == Kind::double_free || kind == Kind::freed_graph)
    return "freed";
  if (kind == Kind::variable_deleted || kind == Kind::deleted_array) return "deleted";
  return kind == Kind::inplace_modified ? "changed" : "ended";
}

std::string row(const std::string& label, const std::string& text, const FindingStyle& style) {
  return padded("", kIndent) + style.paint.dim(label) + padded("", kLabelWidth - width_of(label)) +
         text + "\n";
}

// Words below their label, over as many rows as they need.
std::string word_rows(const std::string& label, const std::string& words,
                      const FindingStyle& style) {
  std::string rows;
  for (const std::string& line : wrapped(printable(words), style.width - kIndent - kLabelWidth)) {
    rows += row(rows.empty() ? label : "", line, style);
  }
  return rows;
}

std::vector<const Place*> places_as(const Finding& finding, PlaceRole role) {
  std::vector<const Place*> places;
  for (const Place& place : finding.where) {
    if (place.role == role && places.size() < kMostPlaces) places.push_back(&place);
  }
  return places;
}

// Source lines start in one column: behind the longest place, further off where functions are named.
int source_column(const Finding& finding, const FindingStyle& style) {
  int widest = 0;
  bool has_function = false;
  for (const Place& place : finding.where) {
    widest = std::max(widest, width_of(place_text(place, style.directory)));
    has_function |= !function_text(place).empty();
  }
  return widest + (has_function ? 5 : 2);
}

std::string with_source(const Place& place, int column, const FindingStyle& style) {
  std::string text = place_text(place, style.directory);
  const int all = style.width - kIndent - kLabelWidth;
  // One long path must not push the source lines of the others off the screen.
  const int at = all - column >= kWorthShowing ? column : width_of(text) + 2;
  const std::string source = printable(place.source);
  if (source.empty() || all - at < kWorthShowing) return text;
  return padded(text, at) + cut(source, all - at);
}

std::string place_rows(const Finding& finding, PlaceRole role, const std::string& label,
                       const FindingStyle& style) {
  const int column = source_column(finding, style);
  std::string rows;
  for (const Place* place : places_as(finding, role)) {
    rows += row(rows.empty() ? label : "", with_source(*place, column, style), style);
  }
  return rows;
}

// A title that the headline did not show explains as well as any other sentence.
std::string why_of(const Finding& finding) {
  return rendered(finding.why.empty() && slope_of(finding) > 0 ? finding.title : finding.why);
}

bool is_in_steps(const Finding& finding, const std::string& main_unit) {
  return finding.per.empty() || finding.per == main_unit;
}

std::string when_full(const Finding& finding, const std::string& main_unit) {
  if (!finding.steps_till_full) return "";
  const char* unit = is_in_steps(finding, main_unit) ? "more step" : "more time";
  return "after about " + counted(*finding.steps_till_full, unit) + ": " +
         human_bytes(finding.free_bytes) + " are left";
}

std::string error_text(const Finding& finding) {
  if (!finding.error) return "";
  return finding.error->type + (finding.error->message.empty() ? "" : ": ") +
         finding.error->message;
}

}  // namespace

std::string headline(const Finding& finding, const std::string& main_unit) {
  const double slope = slope_of(finding);
  if (slope == 0 && !finding.title.empty()) return printable(rendered(finding.title));
  std::string text;
  if (slope > 0) {
    text = human_bytes(slope) + " every " +
           (is_in_steps(finding, main_unit) ? "step" : printable(rendered(finding.per)));
  }
  if (finding.bytes > 0) text += (text.empty() ? "" : ", ") + human_bytes(finding.bytes) + " now";
  if (text.empty()) return code(finding.kind);
  return text + (finding.device == "cpu" || finding.device.empty()
                     ? ""
                     : " on " + printable(finding.device));
}

std::string headline_row(const Finding& finding, const std::string& lead,
                         const FindingStyle& style) {
  const std::string kind = code(finding.kind);
  const int start = width_of(lead);
  const int column = style.width - std::max(kKindWidth, width_of(kind));
  const std::string head = headline(finding, style.main_unit);
  const std::vector<std::string> lines = wrapped(head, std::max(column - 2 - start, kWorthShowing));
  const std::string line = lines.empty() ? "" : lines.front();
  const std::string first = padded(line, std::max(column - start, width_of(line) + 2));
  std::string rows =
      style.paint.as(finding.severity, lead) + style.paint.bold(first) + style.paint.dim(kind);
  for (size_t at = 1; at < lines.size(); ++at) {
    rows += "\n" + padded("", start) + style.paint.bold(lines[at]);
  }
  return rows + "\n";
}

std::string detail_rows(const Finding& finding, const FindingStyle& style) {
  std::string rows = place_rows(finding, PlaceRole::made_at, "made at", style);
  rows += word_rows("made by", rendered(finding.op), style);
  if (style.processes)
    rows += word_rows("in", process_words(*style.processes, finding.pids), style);
  if (finding.holder) rows += word_rows("kept by", holder_text(*finding.holder), style);
  rows += place_rows(finding, PlaceRole::kept_at, "kept at", style);
  rows += place_rows(finding, PlaceRole::released_at, "released", style);
  rows += place_rows(finding, PlaceRole::created, "created", style);
  rows += place_rows(finding, PlaceRole::ended, ended_label(finding.kind), style);
  rows += place_rows(finding, PlaceRole::used, "used", style);
  if (style.has_error) rows += word_rows("raised", error_text(finding), style);
  rows += word_rows("why", why_of(finding), style);
  rows += word_rows("full", when_full(finding, style.main_unit), style);
  return rows + word_rows("fix", rendered(finding.fix), style);
}

}  // namespace tenure::report
