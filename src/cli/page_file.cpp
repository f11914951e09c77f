#include "cli/page_file.h"

#include <fmt/core.h>

#include <string_view>

#include "ledger/record_file.h"
#include "report/html.h"
#include "report/page_json.h"
#include "report/source_text.h"

namespace tenure::cli {
namespace {

constexpr size_t kMostBytes = 5'000'000;  // of a page: a mail or a browser takes it without a word
constexpr size_t kMostRows = 4000, kFewestRows = 50;

std::string machine_words(const record::MachineFacts& machine) {
  return fmt::format("{} {}, {}", machine.kernel, machine.architecture, machine.libc);
}

report::PageOptions options_of(const record::RunOutcome& run) {
  report::PageOptions options;
  options.directory = run.directory;
  options.started_ns = run.started_ns;
  options.seconds = run.seconds;
  options.tenure = run.tenure;
  options.machine = machine_words(run.machine);
  return options;
}

}  // namespace

Result<bool> write_page(const record::Record& record, const analyze::Findings& findings,
                        analyze::Page page, const std::string& path) {
  if (report::page_shell().empty())
    return Error{
        "this build of Tenure has no report page: install Node.js 18 or newer with npm, and build "
        "Tenure again",
        2};
  report::add_source_text(*record.sources, page);
  report::PageOptions options = options_of(record.outcome);
  std::string html;
  for (options.most_rows = kMostRows; options.most_rows >= kFewestRows; options.most_rows /= 2) {
    html = report::html_page(report::page_shell(), report::page_json(findings, page, options));
    if (html.size() <= kMostBytes) break;
  }
  const std::string_view pieces[] = {html};
  return ledger::write_record_file(path, pieces);
}

}  // namespace tenure::cli
