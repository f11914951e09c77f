#include "report/formats/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/place.h"
#include "report/text.h"
#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using analyze::CheckState;
using analyze::Limit;

std::string escaped(const std::string& text) {
  std::string result;
  for (char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// What one case has to tell, inside its element. Empty: it passed.
struct Case {
  std::string name;
  std::string inside;
  bool has_failed = false, has_error = false, is_skipped = false;
};

std::string failure(const Problem& problem) {
  std::string text = problem.place ? place_text(*problem.place, "") + ": " : "";
  text += problem.headline + (problem.details.empty() ? "" : ". " + problem.details);
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                     escaped(problem.rule), escaped(problem.headline), escaped(text));
}

Case case_of(Limit limit, const CheckedRun& run, const std::vector<Problem>& problems) {
  Case result{limit_text(limit, run.result.limits), ""};
  for (size_t i = 0; i < run.result.excesses.size(); ++i) {
    if (run.result.excesses[i].limit != limit) continue;
    result.inside += failure(problems[i]);
    result.has_failed = true;
  }
  return result;
}

std::vector<Case> cases_of(const CheckedRun& run) {
  const std::vector<Problem> problems = problems_of(run);
  std::vector<Limit> limits = limits_set(run.result.limits);
  limits.push_back(Limit::death);
  std::vector<Case> cases;
  for (Limit limit : limits) cases.push_back(case_of(limit, run, problems));
  if (run.result.state == CheckState::unknown) {
    const char* element = run.is_unknown_ok ? "skipped" : "error";
    cases.push_back(
        {"enough was seen",
         fmt::format("      <{} message=\"{}\"/>\n", element, escaped(why_unknown(run))), false,
         !run.is_unknown_ok, run.is_unknown_ok});
  }
  return cases;
}

std::string suite_of(const CheckedRun& run) {
  const std::vector<Case> cases = cases_of(run);
  const auto count = [&](auto which) { return std::count_if(cases.begin(), cases.end(), which); };
  std::string text = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      escaped("tenure " + run.record), cases.size(),
      count([](const Case& c) { return c.has_failed; }),
      count([](const Case& c) { return c.has_error; }),
      count([](const Case& c) { return c.is_skipped; }));
  for (const Case& c : cases) {
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                        escaped(program_name(run.findings.program)), escaped(c.name));
    text += c.inside.empty() ? "/>\n" : ">\n" + c.inside + "    </testcase>\n";
  }
  return text + "  </testsuite>\n";
}

}  // namespace

std::string junit(const std::vector<CheckedRun>& runs) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const CheckedRun& run : runs) text += suite_of(run);
  return text + "</testsuites>\n";
}

}  // namespace tenure::report
