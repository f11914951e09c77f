#include "cli/tell.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "analyze/figures.h"
#include "analyze/judge.h"
#include "cli/process_memory.h"
#include "cli/question_desk.h"
#include "cli/words.h"
#include "ledger/record_file.h"
#include "report/block_path.h"
#include "report/figures.h"
#include "report/holders.h"
#include "report/json.h"
#include "report/place.h"
#include "report/scopes.h"
#include "report/sites.h"
#include "report/terminal.h"

namespace tenure::cli {
namespace {

constexpr size_t kMostHolders = 8;

bool wants_color(int fd) {
  const char* term = getenv("TERM");
  const char* no_color = getenv("NO_COLOR");
  return isatty(fd) && !(no_color && *no_color) && !(term && std::strcmp(term, "dumb") == 0);
}

int terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    return size.ws_col < 140 ? size.ws_col : 140;
  return 100;
}

bool write_asked(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::ofstream file(path);
  file << text;
  if (file.flush()) return true;
  say_line(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return false;
}

// A file asked for with --json that cannot be written is told; the copy in the record may fail quietly on a full disk.
bool write_json(const analyze::Findings& findings, const std::string& directory,
                const std::string& asked) {
  const std::string text = report::findings_json(findings);
  const std::string_view pieces[] = {text};
  (void)ledger::write_record_file(directory + "/findings.json", pieces);
  return write_asked(asked, text);
}

report::TerminalOptions terminal_options(int fd, const std::string& directory) {
  report::TerminalOptions options;
  options.has_color = wants_color(fd);
  options.width = terminal_width(fd);
  options.record = directory;
  std::error_code unknown;
  options.directory = std::filesystem::current_path(unknown).string();
  return options;
}

std::vector<report::SiteRow> site_rows(const analyze::Record& record,
                                       const std::string& directory) {
  std::vector<report::SiteRow> rows;
  for (const analyze::SiteFigures& f : analyze::biggest_sites(record, 40)) {
    report::SiteRow row;
    row.at_peak_bytes = f.at_peak_bytes;
    row.at_peak_count = f.at_peak_count;
    row.live_bytes = f.live_bytes;
    row.live_count = f.live_count;
    row.total_bytes = f.total_bytes;
    row.total_count = f.total_count;
    row.place = report::place_text(f.place, directory);
    row.kind = f.role.empty() ? f.kind : f.role;
    if (!f.op.empty()) row.kind += ", " + f.op;
    if (f.total_bytes) row.relative_error = f.total_error / static_cast<double>(f.total_bytes);
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_loops(const analyze::Record& record) {
  for (const analyze::SeenUnit& unit : analyze::seen_units(record)) {
    fmt::print("{:>10}  {}{}\n", unit.steps, unit.per, unit.is_users ? "" : "  (library)");
  }
}

// The record of a program whose supervisor was killed says for ever that it runs.
bool is_still_there(const analyze::RunOutcome& outcome) {
  return outcome.main_pid > 0 && start_of(outcome.main_pid) == outcome.main_started;
}

bool print_path(const analyze::Record& record, const std::string& block, int pid,
                const std::string& directory) {
  auto id = analyze::parse_block_id(block);
  auto path = id ? analyze::path_to(record, *id, pid) : std::nullopt;
  if (path)
    fmt::print("block {}: {}", block, report::block_path_text(*path, directory));
  else
    say_line(fmt::format("there is no block {}; `tenure show --holders` lists some", block));
  return path.has_value();
}

// A record or the id of a process of a running program; the record has a new snapshot of it afterwards.
Result<bool> take_one_now(ShowOptions* options, int* pid) {
  const std::string& asked = options->directory;
  bool is_number = !asked.empty() && asked.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && asked.size() < 10 && !std::filesystem::exists(asked)) {
    *pid = std::stoi(asked);
  } else {
    Result<analyze::Record> record = analyze::read_record(asked);
    if (!record) return record.error();
    *pid = record->outcome.main_pid;
    if (record->outcome.has_ended || !is_still_there(record->outcome))
      return Error{fmt::format("the program of {} has ended; leave --now out", asked), 2};
  }
  Result<std::string> directory = ask_for_snapshot(*pid);
  if (!directory) return directory.error();
  options->directory = *directory;
  options->has_holders |= options->path.empty();
  return true;
}

}  // namespace

void tell_run(const analyze::Record& record, const std::string& directory,
              const RunOptions& options) {
  try {
    analyze::Findings findings = analyze::judge(record, {options.steps});
    write_json(findings, directory, options.json);
    report::TerminalOptions terminal = terminal_options(STDERR_FILENO, directory);
    terminal.is_quiet = options.is_quiet;
    say(report::terminal_report(findings, terminal));
  } catch (const std::exception& error) {
    say_line(fmt::format("the analysis failed ({}); the record is in {}", error.what(), directory));
  }
}

int show(const ShowOptions& asked) {
  ShowOptions options = asked;
  int pid = 0;
  if (options.is_now) {
    Result<bool> done = take_one_now(&options, &pid);
    if (!done) {
      say_line(done.error().message);
      return done.error().exit_code;
    }
  }
  Result<analyze::Record> record = analyze::read_record(options.directory);
  if (!record) {
    say_line(record.error().message);
    return record.error().exit_code;
  }
  if (record->ledgers.empty() && !record->unreadable.empty()) {
    say_line(record->unreadable.front());
    return 2;
  }
  analyze::RunOutcome& outcome = record->outcome;
  if (!outcome.has_ended && !is_still_there(outcome)) outcome.is_end_unseen = true;
  analyze::Findings findings = analyze::judge(*record, {});
  report::TerminalOptions terminal = terminal_options(STDOUT_FILENO, "");
  terminal.has_parts = true;
  if (options.path.empty()) std::fputs(report::terminal_report(findings, terminal).c_str(), stdout);
  if (options.has_sites) {
    std::vector<report::SiteRow> rows = site_rows(*record, terminal.directory);
    std::fputs(report::sites_table(rows, {false, terminal.width}).c_str(), stdout);
  }
  if (options.has_loops) print_loops(*record);
  if (options.has_scopes) {
    std::fputs(report::scopes_table(analyze::scope_rows(*record), terminal.directory).c_str(),
               stdout);
  }
  if (options.has_holders) {
    auto summary = analyze::biggest_holders(*record, {kMostHolders, pid, options.is_now});
    std::fputs(report::holders_table(summary, {false, terminal.width}).c_str(), stdout);
  }
  if (!options.path.empty() && !print_path(*record, options.path, pid, terminal.directory))
    return 2;
  bool is_written =
      options.json.empty() || write_asked(options.json, report::findings_json(findings));
  if (!options.figures.empty()) {
    is_written &=
        write_asked(options.figures, report::figures_json(analyze::biggest_sites(*record, 0),
                                                          analyze::seen_units(*record),
                                                          analyze::live_blocks(*record)));
  }
  return std::fflush(stdout) == 0 && is_written ? 0 : 2;
}

}  // namespace tenure::cli
