#include "cli/run_report.h"

#include <fmt/core.h>
#include <unistd.h>

#include <string_view>

#include "analyze/analysis.h"
#include "analyze/balance/own_cost.h"
#include "analyze/page/call_tree.h"
#include "analyze/run/figures.h"
#include "analyze/run/scopes.h"
#include "base/source_path.h"
#include "cli/page_file.h"
#include "cli/process_memory.h"
#include "cli/progress.h"
#include "cli/report_output.h"
#include "cli/stderr_output.h"
#include "ledger/record_file.h"
#include "record/layout.h"
#include "record/site_looks.h"
#include "record/write.h"
#include "report/json.h"
#include "report/source_text.h"

namespace tenure::cli {
namespace {

// A file asked for with --json that cannot be written is told; the copy in the record may fail quietly on a full disk.
void write_findings(const analyze::Findings& findings, const std::string& directory,
                    const std::string& asked) {
  const std::string text = report::findings_json(findings);
  const std::string_view pieces[] = {text};
  (void)ledger::write_record_file(directory + "/" + record::kFindingsFile, pieces);
  write_asked(asked, text);
}

// With the analysis up to here; kept in the record, so that `show` tells the same.
analyze::OwnCost cost_until_now(const record::Record& record, const std::string& directory,
                                uint64_t began_ns) {
  record::RunOutcome outcome = record.outcome;
  outcome.own.analysis_ns = own_processor_ns() - began_ns;
  if (outcome.is_complete()) (void)record::write_run(directory, outcome);
  return analyze::own_cost(record, outcome.own);
}

// Of each process, for the calls of `report` and `export`: the rest of a large native program would take longer than its
// verdict.
constexpr size_t kSitesNamed = 400;

// What `show` will ask beside the findings, so that the record can answer it anywhere. Of the sites that only `--figures`
// lists, native lines are not asked for: to look up very many names would keep the user waiting.
void ask_for_tables(const record::Record& record) {
  (void)analyze::biggest_sites(record, kSitesShown);
  (void)analyze::all_ops(record);
  (void)analyze::seen_units(record);
  (void)analyze::scope_rows(record);
  for (const auto& [index, ledger] : record.ledgers) {
    analyze::Frames frames(ledger, *record.symbols);
    (void)analyze::call_tree(frames, 0, kSitesNamed);
  }
}

// The user's own files on any stack of the run.
void ask_for_files(const record::Record& record) {
  for (const auto& [index, ledger] : record.ledgers) {
    for (const ledger::Code& code : ledger.codes()) {
      std::string file(ledger.string(code.file));
      if (is_user_file(file) && file[0] != '<') record.sources->file(file);
    }
  }
}

// From here on the record stands alone. What the report told of missing symbols stays as it was told.
void keep_answers(const record::Record& record, const std::string& directory,
                  const std::vector<std::string>& problems) {
  record::SymbolAnswers symbols = record.symbols->answers();
  symbols.problems = problems;
  Result<bool> has_symbols = record::write_symbols(directory, symbols);
  Result<bool> has_sources = record::write_sources(directory, record.sources->answers());
  bool is_told = !record.outcome.troubles.empty();  // a full disk has met the ledgers first
  if ((!has_symbols || !has_sources) && !is_told)
    say_line((has_symbols ? has_sources : has_symbols).error().message);
}

int check_run(const CheckPlan& plan, const record::Record& record, const std::string& directory,
              analyze::Findings findings) {
  return conclude(plan, {checked(plan, directory, record.outcome.directory, std::move(findings))},
                  Audience::standard_error);
}

void say_page(const record::Record& record, const analyze::Findings& findings, analyze::Page page,
              const std::string& directory) {
  const std::string path = directory + "/" + record::kPageFile;
  Progress progress("making the report page");
  Result<bool> written = write_page(record, findings, std::move(page), path);
  progress.end();
  say(written ? fmt::format("  page: {}\n", path) : "tenure: " + written.error().message + "\n");
}

}  // namespace

RunReport report_run(const record::Record& record, const std::string& directory,
                     const RunOptions& options, const CheckPlan* plan) {
  try {
    const uint64_t began_ns = own_processor_ns();
    Progress progress("reading what was recorded, and judging it");
    analyze::Page page;
    if (options.has_page) page.looks = record::read_looks(directory);
    analyze::Findings findings = analyze::judge(record, {}, options.has_page ? &page : nullptr);
    report::add_source_text(*record.sources, findings);
    const std::vector<std::string> problems = record.symbols->problems();
    if (record.outcome.is_complete()) {  // before the verdict, which tells what it takes
      progress.next("looking up the names of native code");
      ask_for_tables(record);
      ask_for_files(record);
    }
    findings.cost = cost_until_now(record, directory, began_ns);
    write_findings(findings, directory, options.json);
    report::TerminalOptions terminal = terminal_options(STDERR_FILENO, record);
    terminal.record = directory;
    terminal.is_quiet = options.is_quiet;
    const std::string text = report::terminal_report(findings, terminal);
    progress.end();
    say(text);
    if (options.has_page && !text.empty()) say_page(record, findings, std::move(page), directory);
    const bool is_kept = !text.empty() || !options.directory.empty();
    if (record.outcome.is_complete() && is_kept) keep_answers(record, directory, problems);
    const int code = plan ? check_run(*plan, record, directory, std::move(findings)) : kWithin;
    return {!text.empty() || code != kWithin, code};
  } catch (const std::exception& error) {
    say_line(fmt::format("the analysis failed ({}); the record is in {}", error.what(), directory));
    return {true, kCannotTell};
  }
}

}  // namespace tenure::cli
