#include "cli/check_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "cli/report_output.h"
#include "cli/size_text.h"
#include "cli/stderr_output.h"
#include "report/check_text.h"
#include "report/formats/baseline_json.h"
#include "report/formats/github.h"
#include "report/formats/junit.h"
#include "report/formats/sarif.h"

namespace tenure::cli {
namespace {

using analyze::CheckState;
using report::CheckedRun;

std::optional<Error> read_limit(const std::string& text, const std::string& option, auto parse,
                                std::optional<uint64_t>& limit) {
  if (text.empty()) return std::nullopt;
  Result<uint64_t> size = parse(text, option);
  if (!size) return size.error();
  limit = *size;
  return std::nullopt;
}

std::optional<Error> read_limits(const CheckOptions& options, analyze::Limits& limits) {
  limits.forbids_lifetime_errors = options.forbids_lifetime_errors;
  if (auto error = read_limit(options.max_growth, "--max-growth", parse_growth, limits.growth))
    return error;
  if (auto error = read_limit(options.max_peak, "--max-peak", parse_size, limits.peak))
    return error;
  return read_limit(options.max_accumulated, "--max-accumulated", parse_size, limits.accumulated);
}

std::optional<Error> wrong_usage(const CheckOptions& options) {
  static const std::set<std::string> kFormats = {"text", "github", "sarif", "junit"};
  if (!kFormats.contains(options.format))
    return Error{fmt::format("there is no format `{}`; there are text, github, sarif, junit",
                             options.format),
                 2};
  if (options.updates_baseline && options.baseline.empty())
    return Error{"--update-baseline needs --baseline FILE: the file to write", 2};
  return std::nullopt;
}

std::optional<Error> read_baseline_file(const CheckOptions& options, analyze::Baseline& baseline) {
  if (options.baseline.empty()) return std::nullopt;
  std::ifstream file(options.baseline);
  if (!file && options.updates_baseline) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return Error{
        fmt::format("cannot read the baseline {}; --update-baseline makes one", options.baseline),
        2};
  Result<analyze::Baseline> read = report::read_baseline(text.str(), options.baseline);
  if (!read && options.updates_baseline) return std::nullopt;  // it is made anew
  if (!read) return read.error();
  baseline = std::move(*read);
  return std::nullopt;
}

std::vector<report::SarifRun> sarif_runs(const std::vector<CheckedRun>& runs) {
  std::vector<report::SarifRun> list;
  for (const CheckedRun& run : runs) list.push_back({run.directory, report::problems_of(run)});
  return list;
}

std::string formatted(const CheckPlan& plan, const std::vector<CheckedRun>& runs,
                      const std::string& text) {
  if (plan.options.format == "sarif") return report::sarif(sarif_runs(runs));
  if (plan.options.format == "junit") return report::junit(runs);
  if (plan.options.format == "text") return text;
  std::string annotations;
  for (const CheckedRun& run : runs)
    annotations += report::github_annotations(report::problems_of(run));
  return annotations + text;
}

void tell(const std::string& text, Audience audience) {
  if (audience == Audience::standard_error)
    say(text);
  else
    std::fputs(text.c_str(), stdout);
}

// Entries that none of the runs showed; of a run that saw too little nothing is known to be gone.
size_t stale_entries(const CheckPlan& plan, const std::vector<CheckedRun>& runs) {
  std::set<size_t> met;
  for (const CheckedRun& run : runs) {
    if (run.findings.verdict == Verdict::unknown) return 0;
    met.insert(run.result.met.begin(), run.result.met.end());
  }
  return plan.baseline.entries.size() - met.size();
}

int exit_code_of(const std::vector<CheckedRun>& runs) {
  const auto has = [&](CheckState state) {
    return std::any_of(runs.begin(), runs.end(), [&](const CheckedRun& run) {
      return run.result.state == state && !report::is_passed(run);
    });
  };
  if (has(CheckState::beyond)) return kBeyond;
  return has(CheckState::unknown) ? kCannotTell : kWithin;
}

// Made anew from what these runs showed. Not from runs that saw too little.
int update_baseline(const CheckPlan& plan, const std::vector<CheckedRun>& runs, Audience audience) {
  analyze::Baseline baseline;
  baseline.tolerance = plan.baseline.tolerance;
  for (const CheckedRun& run : runs) {
    const bool is_unsure = run.findings.verdict == Verdict::unknown && !run.is_unknown_ok;
    if (is_unsure) {
      say_line(fmt::format("{} cannot tell ({}): the baseline is left as it is", run.record,
                           report::why_unknown(run)));
      return kCannotTell;
    }
    analyze::add_to_baseline(run.findings, baseline);
  }
  const std::string& directory = runs.front().directory;
  if (!write_asked(plan.options.baseline, report::baseline_json(baseline, directory)))
    return kCannotTell;
  tell(fmt::format("tenure: the baseline {} accepts {} {} now\n", plan.options.baseline,
                   baseline.entries.size(), baseline.entries.size() == 1 ? "line" : "lines"),
       audience);
  return kWithin;
}

}  // namespace

Result<CheckPlan> plan_check(const CheckOptions& options) {
  CheckPlan plan{options, {}, {}};
  if (auto error = wrong_usage(options)) return *error;
  if (auto error = read_limits(options, plan.limits)) return *error;
  if (auto error = read_baseline_file(options, plan.baseline)) return *error;
  return plan;
}

CheckedRun checked(const CheckPlan& plan, const std::string& record, const std::string& directory,
                   analyze::Findings findings) {
  CheckedRun run{record, directory, std::move(findings), {}, plan.options.is_unknown_ok};
  run.result = analyze::check(run.findings, plan.limits, plan.baseline);
  return run;
}

int conclude(const CheckPlan& plan, const std::vector<CheckedRun>& runs, Audience audience) {
  if (plan.options.updates_baseline) return update_baseline(plan, runs, audience);
  const int code = exit_code_of(runs);
  const std::string text =
      report::check_text(runs, {plan.options.baseline, stale_entries(plan, runs)});
  const bool is_in_file = !plan.options.output.empty();
  if (is_in_file && !write_asked(plan.options.output, formatted(plan, runs, text)))
    return kCannotTell;
  tell(is_in_file ? text : formatted(plan, runs, text), audience);
  return code;
}

}  // namespace tenure::cli
