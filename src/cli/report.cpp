// cli/report.cpp: `tenure report`: the record as a page to look at.
#include <fmt/core.h>

#include <cstdio>

#include "analyze/analysis.h"
#include "cli/page_file.h"
#include "cli/process_memory.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "record/layout.h"
#include "record/read.h"
#include "report/source_text.h"

namespace tenure::cli {
namespace {

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

}  // namespace

int report_page(const ReportOptions& options) {
  Result<record::Record> record = record::read_record(options.directory);
  if (!record) return fail(record.error());
  if (record->ledgers.empty() && !record->unreadable.empty())
    return fail({record->unreadable.front(), 2});
  record::RunOutcome& outcome = record->outcome;
  const bool is_there = outcome.main_pid > 0 && start_of(outcome.main_pid) == outcome.main_started;
  if (!outcome.has_ended && !is_there) outcome.is_end_unseen = true;
  analyze::Page page;
  analyze::Findings findings = analyze::judge(*record, {}, &page);
  report::add_source_text(*record->sources, findings);
  const std::string path =
      options.output.empty() ? options.directory + "/" + record::kPageFile : options.output;
  Result<bool> written = write_page(*record, findings, std::move(page), path);
  if (!written) return fail(written.error());
  fmt::print("{}\n", path);
  return std::fflush(stdout) == 0 ? 0 : 2;
}

}  // namespace tenure::cli
