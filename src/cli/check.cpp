// cli/check.cpp: `tenure check`: whether runs keep to limits. 0 within, 1 beyond, 2 cannot tell.
#include <cstdio>

#include "analyze/analysis.h"
#include "cli/check_plan.h"
#include "cli/open_record.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "report/source_text.h"

namespace tenure::cli {
namespace {

int fail(const Error& error) {
  say_line(error.message);
  return kCannotTell;
}

}  // namespace

int check(const CheckOptions& options) {
  Result<CheckPlan> plan = plan_check(options);
  if (!plan) return fail(plan.error());
  std::vector<report::CheckedRun> runs;
  for (const std::string& directory : options.records) {
    Result<record::Record> record = open_record(directory);
    if (!record) return fail(record.error());
    analyze::Findings findings = analyze::judge(*record, {});
    report::add_source_text(*record->sources, findings);
    runs.push_back(checked(*plan, directory, record->outcome.directory, std::move(findings)));
  }
  const int code = conclude(*plan, runs, Audience::standard_output);
  return std::fflush(stdout) == 0 ? code : kCannotTell;
}

}  // namespace tenure::cli
