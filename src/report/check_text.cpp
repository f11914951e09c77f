#include "report/check_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/bytes.h"
#include "report/place.h"
#include "report/text.h"
#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using analyze::CheckState;

constexpr int kWidth = 100;

std::string limits_text(const analyze::Limits& limits) {
  std::vector<std::string> words;
  for (analyze::Limit limit : limits_set(limits)) words.push_back(limit_text(limit, limits));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string figures_text(const analyze::Findings& findings) {
  std::string text;
  if (findings.peak_bytes > 0) text += " Peak " + human_bytes(findings.peak_bytes) + ".";
  if (findings.steps > 0) text += " " + counted(findings.steps, "step") + ".";
  return text;
}

std::string sentence_of(const CheckedRun& run) {
  switch (run.result.state) {
    case CheckState::within:
      return fmt::format("within the limits: {}.{}", limits_text(run.result.limits),
                         figures_text(run.findings));
    case CheckState::beyond:
      return fmt::format("beyond the limits: {} ({}).{}",
                         counted(run.result.excesses.size(), "problem"),
                         limits_text(run.result.limits), figures_text(run.findings));
    case CheckState::unknown:
      break;
  }
  const char* lead = run.is_unknown_ok ? "within the limits as far as can be told" : "cannot tell";
  return fmt::format("{}: {}.{}", lead, why_unknown(run), figures_text(run.findings));
}

std::string indented(const std::string& words, int columns) {
  std::string rows;
  for (const std::string& line : wrapped(words, kWidth - columns))
    rows += padded("", columns) + line + "\n";
  return rows;
}

std::string problem_rows(const Problem& problem) {
  std::string text = indented(fmt::format("{}: {}", problem.rule, problem.headline), 2);
  if (problem.place) {
    const std::string place = place_text(*problem.place, "");
    const std::string& source = problem.place->source;
    text += padded("", 6) + place + (source.empty() ? "" : "  " + cut(source, 60)) + "\n";
  }
  return text + indented(problem.details, 6);
}

std::string run_text(const CheckedRun& run, bool is_named) {
  std::string text =
      "tenure: " + (is_named ? printable(run.record) + ": " : "") + sentence_of(run) + "\n";
  if (run.result.state == CheckState::beyond) {
    for (const Problem& problem : problems_of(run)) text += problem_rows(problem);
  }
  if (run.result.state == CheckState::unknown) {
    const std::string advice = advice_when_unknown(run.findings);
    if (!advice.empty()) text += indented("try: " + advice, 2);
  }
  const auto& program = run.findings.program;
  if (program.exit_code != 0 || program.signal) text += indented("the program itself failed", 2);
  if (!run.result.accepted.empty())
    text += fmt::format("  {} accepted by the baseline\n", run.result.accepted.size());
  if (!run.result.not_asked.empty())
    text += fmt::format("  not asked about: {}; see `tenure show {}`\n",
                        run.result.not_asked.size() == 1
                            ? std::string("1 leak or error")
                            : fmt::format("{} leaks or errors", run.result.not_asked.size()),
                        printable(run.record));
  return text;
}

}  // namespace

std::string check_text(const std::vector<CheckedRun>& runs, const BaselineUse& baseline) {
  std::string text;
  for (const CheckedRun& run : runs) text += run_text(run, runs.size() > 1);
  if (baseline.stale > 0)
    text += fmt::format(
        "  no longer there: {} of {}; --update-baseline removes what is gone\n",
        baseline.stale == 1 ? std::string("1 entry") : fmt::format("{} entries", baseline.stale),
        printable(baseline.file));
  return text;
}

}  // namespace tenure::report
