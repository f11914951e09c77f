#include "report/live_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/bytes.h"
#include "report/finding_rows.h"
#include "report/live_lines.h"
#include "report/live_table.h"
#include "report/paint.h"
#include "report/sentences.h"
#include "report/sparkline.h"
#include "report/text.h"
#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using Rows = std::vector<std::string>;

constexpr int kLabel = 10;      // `Resident  `
constexpr int kFigure = 9;      // `1023 KiB `
constexpr int kRoomyRows = 16;  // from here on all of the head is shown
constexpr int kRoomyColumns = 76;
constexpr int kDetailRows = 20;
constexpr size_t kFewOutputRows = 2;
constexpr double kOldAge = 5;  // seconds, from which on it is told

struct Painter {
  Paint paint;
  int width;

  std::string plain(const std::string& text) const { return cut(text, width); }
  std::string bold(const std::string& text) const { return paint.bold(plain(text)); }
  std::string dim(const std::string& text) const { return paint.dim(plain(text)); }
};

std::string ending_of(const LiveState& state) {
  const analyze::ProgramInfo& program = state.findings.program;
  const std::string time = human_seconds(state.seconds);
  if (program.is_running) return "running for " + time;
  if (program.is_end_unseen) return "gone after about " + time;
  if (program.signal) return fmt::format("killed by signal {} after {}", *program.signal, time);
  return fmt::format("ended with exit code {} after {}", program.exit_code, time);
}

// What it is on the left, how old the figures are on the right.
std::string title_row(const LiveState& state, const Painter& painter) {
  std::string left =
      fmt::format("{} ({})  {}", program_name(state.findings.program), state.pid, ending_of(state));
  const bool is_old = state.findings.program.is_running && state.age_seconds > kOldAge;
  const std::string right =
      is_old ? fmt::format("  figures are {} old", human_seconds(state.age_seconds)) : "";
  if (right.empty()) return painter.bold(left);
  const int room = std::max(painter.width - width_of(right), 0);
  return painter.bold(padded(cut(left, room), room) + right);
}

Rows verdict_rows(const LiveState& state, size_t most, const Painter& painter) {
  Rows rows = wrapped(verdict_sentence(state.findings, state.directory), painter.width);
  if (rows.size() > most) {
    for (size_t at = most; at < rows.size(); ++at) rows[most - 1] += " " + rows[at];
    rows.resize(most);
  }
  const bool is_bad =
      state.findings.verdict != Verdict::clean && state.findings.verdict != Verdict::unknown;
  for (std::string& row : rows)
    row = is_bad ? painter.paint.red(painter.plain(row)) : painter.plain(row);
  return rows;
}

std::string figure_row(const char* name, uint64_t bytes, const Curve& curve,
                       const Painter& painter) {
  const std::string text =
      padded(name, kLabel) + padded(right_aligned(human_bytes(bytes), kFigure), kFigure + 2);
  return painter.plain(text + sparkline(curve, painter.width - width_of(text)));
}

Curve curve_of(const LiveState& state, uint64_t record::Moment::* figure) {
  Curve curve;
  for (const record::Moment& moment : state.moments)
    curve.emplace_back(moment.seconds, moment.*figure);
  return curve;
}

std::string growth_row(const LiveState& state, const Painter& painter) {
  const analyze::Findings& findings = state.findings;
  const auto grows = std::find_if(
      findings.findings.begin(), findings.findings.end(),
      [](const analyze::Finding& finding) { return finding.bytes_per_step.value_or(0) > 0; });
  const std::string none = findings.program.is_running ? "none was found so far" : "none was found";
  std::string text = grows == findings.findings.end() ? none : headline(*grows, findings.per);
  if (findings.steps > 0) text += "; " + counted(findings.steps, "step");
  return painter.plain(padded("Growth", kLabel) + "  " + text);
}

std::string processes_row(const LiveState& state, const Painter& painter) {
  std::string text;
  for (const LiveProcess& process : state.processes) {
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", process.pid,
                        human_bytes(process.live_bytes), human_bytes(process.resident_bytes));
  }
  return painter.plain(
      fmt::format("{} processes, live of resident: {}", state.processes.size(), text));
}

Rows head_rows(const LiveState& state, const FrameOptions& options, const Painter& painter) {
  const bool is_roomy = options.size.rows >= kRoomyRows;
  Rows rows = {title_row(state, painter)};
  for (std::string& row : verdict_rows(state, is_roomy ? 2 : 1, painter))
    rows.push_back(std::move(row));
  rows.push_back(
      figure_row("Live", state.live_bytes, curve_of(state, &record::Moment::live), painter));
  if (!is_roomy) return rows;
  rows.push_back(figure_row("Resident", state.resident_bytes,
                            curve_of(state, &record::Moment::resident), painter));
  rows.push_back(growth_row(state, painter));
  if (state.processes.size() > 1) rows.push_back(processes_row(state, painter));
  rows.emplace_back();
  return rows;
}

// What the program printed last, below a rule that says where all of it is.
Rows output_rows(const LiveState& state, const FrameOptions& options, const Painter& painter) {
  Rows rows;
  if (state.output_file.empty() || options.is_plain) return rows;
  const size_t most = options.size.rows >= kDetailRows ? kMostOutputRows : kFewOutputRows;
  rows.push_back(painter.dim(rule_row(painter.width)));
  rows.push_back(painter.dim(painter.plain("what it prints goes to " + state.output_file)));
  const size_t first = state.output.size() > most ? state.output.size() - most : 0;
  for (size_t at = first; at < state.output.size(); ++at)
    rows.push_back(painter.plain(state.output[at]));
  rows.resize(most + 2);
  return rows;
}

std::string key_row(const LiveView& view, const Painter& painter) {
  if (view.is_typing) return painter.bold("/" + view.filter + "_");
  if (!view.notice.empty()) return painter.bold(view.notice);
  if (!view.lasting_notice.empty()) return painter.bold(view.lasting_notice);
  if (view.page != LivePage::lines) return painter.dim("Esc back   q quit");
  if (painter.width < kRoomyColumns) return painter.dim("? help   o order   / filter   q quit");
  return painter.dim("? help   Enter more   o order   / filter   s snapshot   r page   q quit");
}

Rows help_rows(const LiveView& view) {
  const char* leave = view.is_shared
                          ? "q                  leave the view; Ctrl-C is sent to the program"
                          : "q, Ctrl-C          quit; the program goes on";
  return {
      "up, down, j, k     move; also Page Up, Page Down, Home and End",
      "Enter              all that is known of the line; Esc goes back",
      "o, O               next and last order: live, most, growth, place",
      "/                  only lines whose place or holder has this text; Esc ends it",
      "s                  ask the program for a snapshot, which shows who holds what",
      "r                  make the report page, and open it where a browser can be",
      leave,
      "",
      "LIVE and MOST: what its blocks hold now, and held at most. PER STEP: what is",
      "added in each round. CAME TO: `tenure show --why` has the rules.",
  };
}

// What a program in this terminal prints comes first.
bool has_room_for_details(const LiveState& state, const FrameOptions& options) {
  const int output = state.output_file.empty() ? 0 : static_cast<int>(kMostOutputRows) + 2;
  return options.size.rows >= kDetailRows + output;
}

// The table, and below it what is known of the selected line.
Rows line_rows(const LiveState& state, const LiveView& view, int room, const FrameOptions& options,
               const Painter& painter) {
  const TableStyle style{painter.paint, painter.width, !options.is_plain};
  const bool has_details = has_room_for_details(state, options) && !options.is_plain;
  Rows details = has_details ? detail_rows(state, view, painter.width) : Rows{};
  if (details.empty()) return table_rows(state, view, room, style);
  details.resize(std::min(details.size(), kMostDetails));
  const int above = std::max(room - static_cast<int>(kMostDetails) - 1, 0);
  Rows rows = table_rows(state, view, above, style);
  rows.resize(static_cast<size_t>(above));
  rows.push_back(painter.dim(rule_row(painter.width)));
  std::move(details.begin(), details.end(), std::back_inserter(rows));
  return rows;
}

// What stands between head and keys.
Rows body_rows(const LiveState& state, const LiveView& view, int room, const FrameOptions& options,
               const Painter& painter) {
  Rows rows;
  switch (view.page) {
    case LivePage::help:
      for (const std::string& row : help_rows(view)) rows.push_back(painter.plain(row));
      break;
    case LivePage::details:
      rows = detail_rows(state, view, painter.width);
      break;
    case LivePage::lines:
      rows = line_rows(state, view, room, options, painter);
      break;
  }
  rows.resize(std::min(rows.size(), static_cast<size_t>(std::max(room, 0))));
  return rows;
}

int room_of(const FrameOptions& options, size_t head) {
  return options.size.rows - static_cast<int>(head) - (options.is_plain ? 0 : 1);
}

}  // namespace

std::vector<std::string> live_frame(const LiveState& state, const LiveView& view,
                                    const FrameOptions& options) {
  const Painter painter{Paint(options.has_color), std::max(options.size.columns, 1)};
  Rows rows = head_rows(state, options, painter);
  const size_t most = static_cast<size_t>(std::max(options.size.rows, 1));
  Rows output = output_rows(state, options, painter);
  const int room = room_of(options, rows.size() + output.size());
  for (std::string& row : body_rows(state, view, room, options, painter))
    rows.push_back(std::move(row));
  if (!options.is_plain) {
    rows.resize(most - 1 - std::min(output.size(), most - 1));
    std::move(output.begin(), output.end(), std::back_inserter(rows));
    rows.resize(most - 1);
    rows.push_back(key_row(view, painter));
  }
  rows.resize(std::min(rows.size(), most));
  if (!options.is_utf8) {
    for (std::string& row : rows) row = ascii(row);
  }
  return rows;
}

int lines_in_frame(const LiveState& state, const FrameOptions& options) {
  const Painter painter{Paint(false), std::max(options.size.columns, 1)};
  const int room = room_of(options, head_rows(state, options, painter).size() +
                                        output_rows(state, options, painter).size());
  const bool has_details = has_room_for_details(state, options);
  return std::max(room - 1 - (has_details ? static_cast<int>(kMostDetails) + 1 : 0), 1);
}

}  // namespace tenure::report
