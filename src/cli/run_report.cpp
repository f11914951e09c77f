#include "cli/run_report.h"

#include <fmt/core.h>
#include <unistd.h>

#include <string_view>

#include "analyze/analysis.h"
#include "analyze/run/figures.h"
#include "analyze/run/scopes.h"
#include "base/source_path.h"
#include "cli/report_output.h"
#include "cli/stderr_output.h"
#include "ledger/record_file.h"
#include "record/layout.h"
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

// What `show` will ask beside the findings, so that the record can answer it anywhere. Of the sites that only `--figures`
// lists, native lines are not asked for: to look up very many names would keep the user waiting.
void ask_for_tables(const record::Record& record) {
  (void)analyze::biggest_sites(record, kSitesShown);
  (void)analyze::all_ops(record);
  (void)analyze::seen_units(record);
  (void)analyze::scope_rows(record);
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
void keep_answers(const record::Record& record, const std::string& directory) {
  const std::vector<std::string> problems = record.symbols->problems();
  ask_for_tables(record);
  ask_for_files(record);
  record::SymbolAnswers symbols = record.symbols->answers();
  symbols.problems = problems;
  Result<bool> has_symbols = record::write_symbols(directory, symbols);
  Result<bool> has_sources = record::write_sources(directory, record.sources->answers());
  bool is_told = !record.outcome.troubles.empty();  // a full disk has met the ledgers first
  if ((!has_symbols || !has_sources) && !is_told)
    say_line((has_symbols ? has_sources : has_symbols).error().message);
}

}  // namespace

void report_run(const record::Record& record, const std::string& directory,
                const RunOptions& options) {
  try {
    analyze::Findings findings = analyze::judge(record, {});
    report::add_source_text(*record.sources, findings);
    write_findings(findings, directory, options.json);
    report::TerminalOptions terminal = terminal_options(STDERR_FILENO, record);
    terminal.record = directory;
    terminal.is_quiet = options.is_quiet;
    say(report::terminal_report(findings, terminal));
    if (record.outcome.has_ended) keep_answers(record, directory);
  } catch (const std::exception& error) {
    say_line(fmt::format("the analysis failed ({}); the record is in {}", error.what(), directory));
  }
}

}  // namespace tenure::cli
