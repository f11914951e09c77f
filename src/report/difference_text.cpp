#include "report/difference_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/bytes.h"
#include "report/finding_rows.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"
#include "report/verdict_sentence.h"
#include "report/why.h"

namespace tenure::report {
namespace {

using analyze::Change;
using analyze::Difference;
using analyze::Finding;
using analyze::FindingChange;
using analyze::LineChange;

constexpr size_t kMostLines = 8;
constexpr int kColumn = 14;  // of the table of both runs

class DifferenceText {
 public:
  DifferenceText(const ComparedRun& before, const ComparedRun& after, const Difference& difference,
                 const DifferenceOptions& options)
      : before_(before), after_(after), difference_(difference), options_(options) {}

  std::string text() const {
    std::string text = options_.paint.bold("tenure:") + " " + first_sentence() + "\n";
    for (const FindingChange& change : difference_.findings) text += change_rows(change);
    return text + line_rows() + figure_rows();
  }

  std::string sentence_of(const FindingChange& change) const {
    const Finding *was = before(change), *is = after(change);
    switch (change.change) {
      case Change::appeared:
        return fmt::format("new {}: {}{}", noun(*is), rate(is, after_), at(is, after_));
      case Change::worse:
        return fmt::format("worse: {}, now {}{}", rate(was, before_), rate(is, after_),
                           at(is, after_));
      case Change::better:
        return fmt::format("better, not gone: {}, now {}{}", rate(was, before_), rate(is, after_),
                           at(is, after_));
      case Change::same:
        return fmt::format("still there: {}{}", rate(is, after_), at(is, after_));
      case Change::unclear:
        return fmt::format("not seen again: {}{}; the later run cannot tell", rate(was, before_),
                           at(was, before_));
      case Change::gone:
        break;
    }
    return fmt::format("fixed: {}, gone; it was{}", rate(was, before_),
                       at(was, before_).empty() ? " of no known line" : at(was, before_).substr(1));
  }

  std::string first_sentence() const {
    if (!difference_.findings.empty()) {
      const size_t others = difference_.findings.size() - 1;
      return sentence_of(difference_.findings.front()) +
             (others > 0 ? fmt::format("; {} more below.", others) : ".");
    }
    if (is_unknown(before_) || is_unknown(after_))
      return "no leak was seen, but " +
             std::string(is_unknown(after_) ? "the later" : "the earlier") + " run cannot tell.";
    return "no leak and no lifetime error in either run.";
  }

 private:
  const Finding* before(const FindingChange& change) const {
    return change.before ? &before_.findings.findings[*change.before] : nullptr;
  }
  const Finding* after(const FindingChange& change) const {
    return change.after ? &after_.findings.findings[*change.after] : nullptr;
  }

  // It holds nothing now, and nothing is to be done.
  static Finding as_past(Finding finding) {
    if (finding.bytes_per_step.value_or(0) > 0) finding.bytes = 0;
    finding.fix.clear();
    return finding;
  }

  static std::string noun(const Finding& finding) {
    if (finding.severity == Severity::error) return "error";
    return finding.severity == Severity::leak ? "leak" : "growth";
  }

  std::string rate(const Finding* finding, const ComparedRun& run) const {
    const double slope = finding->bytes_per_step.value_or(0);
    if (!(slope > 0)) return headline(*finding, run.findings.per);
    const bool is_main = finding->per.empty() || finding->per == run.findings.per;
    return human_bytes(slope) + " every " + (is_main ? "step" : printable(rendered(finding->per)));
  }

  // `, made at train.py:42 in train()`
  static std::string at(const Finding* finding, const ComparedRun& run) {
    if (finding->where.empty()) return "";
    const analyze::Place& place = finding->where.front();
    return ", " + std::string(code(place.role)) + " " + place_text(place, run.directory);
  }

  bool is_unknown(const ComparedRun& run) const { return run.findings.verdict == Verdict::unknown; }

  std::string change_rows(const FindingChange& change) const {
    const bool is_of_before = change.change == Change::gone || change.change == Change::unclear;
    const ComparedRun& run = is_of_before ? before_ : after_;
    const Finding finding = is_of_before ? as_past(*before(change)) : *after(change);
    const FindingStyle style{options_.paint,   options_.width, run.directory,
                             run.findings.per, nullptr,        true};
    const char* word = change.change == Change::gone ? "fixed" : name_of(change.change);
    std::string text = "\n" + headline_row(finding, fmt::format("  {}  ", word), style);
    text += detail_rows(finding, style);
    if (is_of_before && after(change)) {
      const Finding& now = *after(change);
      text += fmt::format("     now      {}: {}\n", code(now.severity),
                          headline(now, after_.findings.per));
    }
    return text;
  }

  static std::string sizes_of(const LineChange& change) {
    if (!change.before) return "new, " + human_bytes(change.bytes_after());
    if (!change.after) return human_bytes(change.bytes_before()) + ", gone";
    return human_bytes(change.bytes_before()) + " -> " + human_bytes(change.bytes_after());
  }

  std::string line_row(const LineChange& change) const {
    const ComparedRun& run = change.after ? after_ : before_;
    const analyze::LineMemory& line = change.after ? *change.after : *change.before;
    std::string text = fmt::format("  {}  {}", padded(sizes_of(change), 22),
                                   place_text(line.place, run.directory));
    const int left = options_.width - width_of(text) - 2;
    constexpr int kWorthShowing = 12;
    if (!line.place.source.empty() && left >= kWorthShowing)
      text += "  " + cut(printable(line.place.source), left);
    text += "\n";
    if (line.holder)
      text +=
          padded("", 26) + cut("kept by " + holder_text(*line.holder), options_.width - 26) + "\n";
    return text;
  }

  std::string line_rows() const {
    if (difference_.lines.empty()) return "";
    std::string text = "\n  most that a line held, where that changed:\n";
    const size_t shown = std::min(difference_.lines.size(), kMostLines);
    for (size_t i = 0; i < shown; ++i) text += line_row(difference_.lines[i]);
    if (shown < difference_.lines.size())
      text += fmt::format("  and {} more: --json has all\n", difference_.lines.size() - shown);
    return text;
  }

  static std::string figure_row(const std::string& name, const std::string& was,
                                const std::string& is) {
    return fmt::format("  {}{}{}\n", padded(name, kColumn), padded(was, kColumn), is);
  }

  std::string figure_rows() const {
    const analyze::Findings &was = before_.findings, &is = after_.findings;
    std::string text = "\n" + figure_row("", "before", "after");
    text += figure_row("verdict", code(was.verdict), code(is.verdict));
    text += figure_row("peak", human_bytes(was.peak_bytes), human_bytes(is.peak_bytes));
    text += figure_row("at the end", human_bytes(was.live_bytes), human_bytes(is.live_bytes));
    text += figure_row("steps", human_count(was.steps), human_count(is.steps));
    text += "  before\n" + balance_table(was.balance, options_.width);
    return text + "  after\n" + balance_table(is.balance, options_.width);
  }

  const ComparedRun& before_;
  const ComparedRun& after_;
  const Difference& difference_;
  DifferenceOptions options_;
};

}  // namespace

const char* name_of(Change change) {
  switch (change) {
    case Change::appeared:
      return "new";
    case Change::worse:
      return "worse";
    case Change::unclear:
      return "unclear";
    case Change::same:
      return "same";
    case Change::better:
      return "better";
    case Change::gone:
      break;
  }
  return "gone";
}

std::string difference_sentence(const ComparedRun& before, const ComparedRun& after,
                                const Difference& difference) {
  return DifferenceText(before, after, difference, {}).first_sentence();
}

std::string change_sentence(const ComparedRun& before, const ComparedRun& after,
                            const Difference& difference, const FindingChange& change) {
  return DifferenceText(before, after, difference, {}).sentence_of(change);
}

std::string difference_text(const ComparedRun& before, const ComparedRun& after,
                            const Difference& difference, const DifferenceOptions& options) {
  return DifferenceText(before, after, difference, options).text();
}

}  // namespace tenure::report
