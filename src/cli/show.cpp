// cli/show.cpp: `tenure show`: tells again what a record says, and more of it.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "analyze/analysis.h"
#include "analyze/run/figures.h"
#include "analyze/since/made_since.h"
#include "cli/open_record.h"
#include "cli/progress.h"
#include "cli/query_server.h"
#include "cli/report_output.h"
#include "cli/running_record.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "report/block_path.h"
#include "report/figures.h"
#include "report/holders.h"
#include "report/json.h"
#include "report/place.h"
#include "report/processes.h"
#include "report/scopes.h"
#include "report/sentences.h"
#include "report/since.h"
#include "report/sites.h"
#include "report/source_text.h"
#include "report/terminal.h"
#include "report/why.h"

namespace tenure::cli {
namespace {

constexpr size_t kMostHolders = 8;

std::vector<report::SiteRow> site_rows(const record::Record& record, const std::string& directory) {
  std::vector<report::SiteRow> rows;
  for (const analyze::SiteFigures& f : analyze::biggest_sites(record, kSitesShown)) {
    report::SiteRow row;
    row.at_peak_bytes = f.at_peak_bytes;
    row.at_peak_count = f.at_peak_count;
    row.live_bytes = f.live_bytes;
    row.live_count = f.live_count;
    row.total_bytes = f.total_bytes;
    row.total_count = f.total_count;
    row.place = report::place_text(f.place, directory);
    row.kind = f.role.empty() ? f.kind : f.role;
    if (!f.op.empty()) row.kind += ", " + report::rendered(f.op);
    if (f.total_bytes) row.relative_error = f.total_error / static_cast<double>(f.total_bytes);
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_loops(const record::Record& record) {
  for (const analyze::SeenUnit& unit : analyze::seen_units(record)) {
    fmt::print("{:>10}  {}{}\n", unit.steps, report::rendered(unit.per),
               unit.is_users ? "" : "  (library)");
  }
}

bool print_path(const record::Record& record, const std::string& block, int pid,
                const std::string& directory) {
  auto id = analyze::parse_block_id(block);
  auto path = id ? analyze::path_to(record, *id, pid) : std::nullopt;
  if (path)
    fmt::print("block {}: {}", block, report::block_path_text(*path, directory));
  else
    say_line(fmt::format("there is no block {}; `tenure show --holders` lists some", block));
  return path.has_value();
}

bool print_why(const analyze::Findings& findings, const std::string& line,
               const report::TerminalOptions& terminal) {
  if (!report::has_line(findings.considered, line)) {
    say_line(
        fmt::format("{} made nothing that was looked at; `--why` alone lists the lines", line));
    return false;
  }
  fmt::print("\n{}",
             report::why_table(findings.considered, {line, terminal.directory, terminal.width}));
  if (line.empty()) fmt::print("{}", report::balance_table(findings.balance, terminal.width));
  return true;
}

// A record or the id of a process of a running program; the record has a new snapshot of it afterwards.
Result<bool> take_one_now(ShowOptions* options, int* pid) {
  const std::string& asked = options->directory;
  if (const std::optional<int> named = process_id_in(asked)) {
    *pid = *named;
  } else {
    Result<record::Record> record = open_record(asked);
    if (!record) return record.error();
    *pid = record->outcome.main_pid;  // or whichever of its processes comes to answer
    if (record->outcome.is_detached)
      return Error{
          fmt::format("nothing watches the program of {} any more; tenure attach {} begins "
                      "another record",
                      asked, *pid),
          2};
    if (record->outcome.has_ended || record->outcome.is_end_unseen)
      return Error{fmt::format("the program of {} has ended; leave --now out", asked), 2};
  }
  Progress progress("waiting for the program to take a snapshot");
  Result<AnsweredSnapshot> answer = ask_for_snapshot(*pid);
  progress.end();
  if (!answer) return answer.error();
  options->directory = answer->directory;
  *pid = answer->pid;
  options->has_holders |= options->path.empty();
  return true;
}

// What the options ask for beside the report, in the order of the help.
void print_tables(const record::Record& record, const ShowOptions& options, int pid,
                  const report::TerminalOptions& terminal) {
  if (options.has_sites) {
    std::vector<report::SiteRow> rows = site_rows(record, terminal.directory);
    std::fputs(report::sites_table(rows, {false, terminal.width}).c_str(), stdout);
  }
  if (options.has_loops) print_loops(record);
  if (options.has_scopes) {
    std::fputs(report::scopes_table(analyze::scope_rows(record), terminal.directory).c_str(),
               stdout);
  }
  if (options.has_holders) {
    auto summary = analyze::biggest_holders(record, {kMostHolders, pid, options.is_now});
    std::fputs(report::holders_table(summary, {false, terminal.width}).c_str(), stdout);
  }
}

bool write_files(const record::Record& record, const analyze::Findings& findings,
                 const ShowOptions& options) {
  bool is_written =
      options.json.empty() || write_asked(options.json, report::findings_json(findings));
  if (options.figures.empty()) return is_written;
  return is_written &
         write_asked(options.figures, report::figures_json(analyze::biggest_sites(record, 0),
                                                           analyze::seen_units(record),
                                                           analyze::live_blocks(record)));
}

// Leaves the ledgers of that process alone; false: it has none.
bool keep_process(record::Record& record, int pid) {
  const std::vector<record::ProcessOutcome>& processes = record.outcome.processes;
  std::erase_if(record.ledgers, [&](const auto& entry) {
    return processes[static_cast<size_t>(entry.first)].pid != pid;
  });
  return !record.ledgers.empty();
}

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

// What a marked stretch left behind, instead of the report.
int show_since(const record::Record& record, const ShowOptions& options) {
  std::optional<analyze::MadeSince> since =
      analyze::made_since(record, options.since, options.process);
  if (!since) return fail({fmt::format("nothing was marked {}", options.since), 2});
  report::add_source_text(*record.sources, *since);
  const report::TerminalOptions terminal = terminal_options(STDOUT_FILENO, record);
  const report::SinceOptions style{terminal.has_color, terminal.width, terminal.directory};
  if (options.json != kStandardOutput)
    std::fputs(report::since_text(*since, style).c_str(), stdout);
  const bool is_written =
      options.json.empty() || write_asked(options.json, report::since_json(*since, style));
  return std::fflush(stdout) == 0 && is_written ? 0 : 2;
}

int show_record(const record::Record& record, const ShowOptions& options, int pid) {
  Progress progress("judging what was recorded");
  analyze::Findings findings = analyze::judge(record, {options.steps, options.process != 0});
  report::add_source_text(*record.sources, findings);
  progress.end();
  report::TerminalOptions terminal = terminal_options(STDOUT_FILENO, record);
  terminal.has_parts = true;
  bool is_data = options.json == kStandardOutput || options.figures == kStandardOutput;
  if (options.path.empty() && !is_data)
    std::fputs(report::terminal_report(findings, terminal).c_str(), stdout);
  print_tables(record, options, pid, terminal);
  if (options.has_processes)
    std::fputs(report::processes_table(findings, terminal.width).c_str(), stdout);
  if (options.has_why && !print_why(findings, options.why, terminal)) return 2;
  if (!options.path.empty() && !print_path(record, options.path, pid, terminal.directory)) return 2;
  bool is_written = write_files(record, findings, options);
  return std::fflush(stdout) == 0 && is_written ? 0 : 2;
}

}  // namespace

int show(const ShowOptions& asked) {
  ShowOptions options = asked;
  int pid = 0;
  if (options.is_now) {
    if (Result<bool> done = take_one_now(&options, &pid); !done) return fail(done.error());
  }
  Result<record::Record> record = open_record(options.directory);
  if (!record) return fail(record.error());
  if (options.process != 0 && !keep_process(*record, options.process))
    return fail({fmt::format("the record has nothing of a process {}", options.process), 2});
  if (!options.since.empty()) return show_since(*record, options);
  return show_record(*record, options, pid);
}

}  // namespace tenure::cli
