// cli/diff.cpp: `tenure diff`: two runs compared.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "analyze/analysis.h"
#include "analyze/compare/difference.h"
#include "cli/open_record.h"
#include "cli/page_file.h"
#include "cli/progress.h"
#include "cli/report_output.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "report/difference_page.h"
#include "report/difference_text.h"
#include "report/formats/difference_json.h"
#include "report/source_text.h"

namespace tenure::cli {
namespace {

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

report::ComparedRun judged(const record::Record& record, const std::string& name,
                           analyze::Page* page) {
  report::ComparedRun run{name, record.outcome.directory, analyze::judge(record, {}, page)};
  report::add_source_text(*record.sources, run.findings);
  return run;
}

}  // namespace

int diff(const DiffOptions& options) {
  Result<record::Record> before = open_record(options.before);
  if (!before) return fail(before.error());
  Result<record::Record> after = open_record(options.after);
  if (!after) return fail(after.error());
  const bool has_page = !options.page.empty();
  Progress progress("judging both runs");
  analyze::Page page_before, page_after;
  const report::ComparedRun was =
      judged(*before, options.before, has_page ? &page_before : nullptr);
  const report::ComparedRun is = judged(*after, options.after, has_page ? &page_after : nullptr);
  const analyze::Difference difference = analyze::compare(was.findings, is.findings);
  progress.end();
  if (has_page) {
    Result<bool> page = write_document(
        report::difference_page_json(was, page_before, is, page_after, difference), options.page);
    if (!page) return fail(page.error());
  }
  if (options.json != kStandardOutput) {
    const report::TerminalOptions terminal = terminal_options(STDOUT_FILENO, *after);
    std::fputs(report::difference_text(was, is, difference,
                                       {report::Paint(terminal.has_color), terminal.width})
                   .c_str(),
               stdout);
  }
  if (has_page && options.json != kStandardOutput) fmt::print("  page: {}\n", options.page);
  const bool is_written = options.json.empty() ||
                          write_asked(options.json, report::difference_json(was, is, difference));
  return std::fflush(stdout) == 0 && is_written ? 0 : 2;
}

}  // namespace tenure::cli
