#include "report/problems.h"

#include <fmt/format.h>

#include "analyze/compare/line_match.h"
#include "base/hash.h"
#include "report/bytes.h"
#include "report/finding_rows.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::CheckState;
using analyze::Excess;
using analyze::Finding;
using analyze::Findings;
using analyze::Limit;
using analyze::Limits;
using analyze::Place;

std::string without_stop(std::string text) {
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

Place seen_from(Place place, const std::string& directory) {
  place.file = shown_path(place.file, directory);
  place.function = printable(place.function);
  place.source = printable(place.source);
  return place;
}

std::string fingerprint_of(const Finding& finding) {
  const analyze::LineKey key = analyze::key_of(finding);
  const std::string words =
      key.kind + '\n' + key.function + '\n' + (key.statement.empty() ? key.file : key.statement);
  return fmt::format("{:016x}", hash_bytes(words.data(), words.size()));
}

std::string details_of(const Finding& finding) {
  std::string text;
  if (finding.holder) text += "Kept by " + without_stop(holder_text(*finding.holder)) + ".";
  if (const std::string why = without_stop(rendered(finding.why)); !why.empty())
    text += " Why: " + why + ".";
  if (const std::string fix = without_stop(rendered(finding.fix)); !fix.empty())
    text += " Fix: " + fix + ".";
  return printable(text);
}

Problem problem_of(const Finding& finding, const Findings& run, const std::string& directory) {
  Problem problem;
  problem.rule = code(finding.kind);
  problem.headline = without_stop(headline(finding, run.per));
  problem.details = details_of(finding);
  for (const Place& place : finding.where) {
    if (!problem.place)
      problem.place = seen_from(place, directory);
    else
      problem.others.push_back(seen_from(place, directory));
  }
  problem.fingerprint = fingerprint_of(finding);
  return problem;
}

Level level_of(Severity severity) {
  if (severity == Severity::error || severity == Severity::leak) return Level::error;
  return severity == Severity::warning ? Level::warning : Level::note;
}

// What is allowed of it; empty where no figure is.
std::string allowance(const Excess& excess) {
  const bool has_figure = excess.limit == Limit::growth || excess.limit == Limit::peak ||
                          excess.limit == Limit::accumulated;
  if (!has_figure || excess.most == 0) return "";
  const std::string most = human_bytes(excess.most);
  const char* unit = excess.limit == Limit::growth ? " every step" : "";
  if (excess.has_outgrown) return fmt::format("; the baseline accepts {}{}", most, unit);
  return fmt::format("; at most {}{}", most, unit);
}

Problem problem_of(const Excess& excess, const CheckedRun& run) {
  Problem problem;
  if (excess.finding)
    problem = problem_of(run.findings.findings[*excess.finding], run.findings, run.directory);
  else
    problem.rule = name_of(excess.limit);
  if (excess.limit == Limit::peak)
    problem.headline =
        human_bytes(excess.bytes) + " live at once" +
        (run.findings.program.processes > 1 ? fmt::format(" in process {}", excess.pid) : "");
  if (excess.limit == Limit::death && !excess.finding)
    problem.headline = "the program ran out of memory";
  problem.headline += allowance(excess);
  return problem;
}

}  // namespace

const char* name_of(Limit limit) {
  switch (limit) {
    case Limit::growth:
      return "growth";
    case Limit::accumulated:
      return "accumulated";
    case Limit::peak:
      return "peak";
    case Limit::lifetime_errors:
      return "lifetime-errors";
    case Limit::death:
      break;
  }
  return "out-of-memory";
}

const char* name_of(Level level) {
  if (level == Level::error) return "error";
  return level == Level::warning ? "warning" : "note";
}

std::string limit_text(Limit limit, const Limits& limits) {
  switch (limit) {
    case Limit::growth:
      return limits.growth.value_or(0) == 0
                 ? "no leak"
                 : fmt::format("no leak above {} every step", human_bytes(*limits.growth));
    case Limit::accumulated:
      return fmt::format("at most {} piled up by one cause",
                         human_bytes(limits.accumulated.value_or(0)));
    case Limit::peak:
      return fmt::format("peak at most {}", human_bytes(limits.peak.value_or(0)));
    case Limit::lifetime_errors:
      return "no lifetime error";
    case Limit::death:
      break;
  }
  return "not out of memory";
}

std::vector<Limit> limits_set(const Limits& limits) {
  std::vector<Limit> set;
  if (limits.growth) set.push_back(Limit::growth);
  if (limits.accumulated) set.push_back(Limit::accumulated);
  if (limits.peak) set.push_back(Limit::peak);
  if (limits.forbids_lifetime_errors) set.push_back(Limit::lifetime_errors);
  return set;
}

bool is_passed(const CheckedRun& run) {
  return run.result.state == CheckState::within ||
         (run.result.state == CheckState::unknown && run.is_unknown_ok);
}

std::string why_unknown(const CheckedRun& run) {
  std::string reason = without_stop(printable(rendered(run.findings.reason)));
  if (!reason.empty()) return reason;
  auto unreadable = run.findings.losses.find(code(OtherLoss::unreadable));
  if (unreadable == run.findings.losses.end()) return "too little was seen";
  return without_stop(printable(rendered(unreadable->second)));
}

std::vector<Problem> problems_of(const CheckedRun& run) {
  std::vector<Problem> problems;
  for (const Excess& excess : run.result.excesses) problems.push_back(problem_of(excess, run));
  if (run.result.state == CheckState::unknown) {
    Problem problem;
    problem.rule = code(Verdict::unknown);
    problem.level = run.is_unknown_ok ? Level::note : Level::error;
    problem.headline = "cannot tell: " + why_unknown(run);
    problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<Problem> problems_of(const Findings& findings, const std::string& directory) {
  std::vector<Problem> problems;
  for (const Finding& finding : findings.findings) {
    problems.push_back(problem_of(finding, findings, directory));
    problems.back().level = level_of(finding.severity);
  }
  return problems;
}

}  // namespace tenure::report
