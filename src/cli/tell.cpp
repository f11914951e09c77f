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

#include "analyze/judge.h"
#include "report/json.h"
#include "report/place.h"
#include "report/sites.h"
#include "report/terminal.h"

namespace tenure::cli {
namespace {

bool wants_color() {
  const char* term = getenv("TERM");
  const char* no_color = getenv("NO_COLOR");
  return isatty(STDERR_FILENO) && !(no_color && *no_color) &&
         !(term && std::strcmp(term, "dumb") == 0);
}

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    return size.ws_col < 140 ? size.ws_col : 140;
  return 100;
}

// A file asked for with --json that cannot be written is told; the copy in the record may fail quietly on a full disk.
bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

bool write_json(const analyze::Findings& findings, const std::string& directory,
                const std::string& asked) {
  std::string text = report::findings_json(findings);
  write_file(directory + "/findings.json", text);
  if (asked.empty() || write_file(asked, text)) return true;
  fmt::print(stderr, "tenure: cannot write {}: {}\n", asked, std::strerror(errno));
  return false;
}

report::TerminalOptions terminal_options(const std::string& directory) {
  report::TerminalOptions options;
  options.has_color = wants_color();
  options.width = terminal_width();
  options.record = directory;
  std::error_code unknown;
  options.directory = std::filesystem::current_path(unknown).string();
  return options;
}

std::vector<report::SiteRow> site_rows(const analyze::Record& record) {
  std::vector<report::SiteRow> rows;
  for (const analyze::SiteFigures& f : analyze::biggest_sites(record, 40)) {
    report::SiteRow row;
    row.at_peak_bytes = f.at_peak_bytes;
    row.at_peak_count = f.at_peak_count;
    row.live_bytes = f.live_bytes;
    row.live_count = f.live_count;
    row.total_bytes = f.total_bytes;
    row.total_count = f.total_count;
    row.place = report::place_text(f.place, "");
    row.kind = f.kind;
    row.relative_error = f.relative_error;
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_loops(const analyze::Record& record) {
  for (const analyze::SeenUnit& unit : analyze::seen_units(record)) {
    fmt::print("{:>10}  {}{}\n", unit.steps, unit.per, unit.is_users ? "" : "  (library)");
  }
}

}  // namespace

void tell_run(const std::string& directory, const analyze::RunOutcome& outcome,
              const RunOptions& options) {
  Result<analyze::Record> record = analyze::read_record(directory);
  if (!record) {
    fmt::print(stderr, "tenure: {}\n", record.error().message);
    return;
  }
  record->outcome = outcome;
  analyze::Findings findings = analyze::judge(*record, {options.steps});
  write_json(findings, directory, options.json);
  report::TerminalOptions terminal = terminal_options(directory);
  terminal.is_quiet = options.is_quiet;
  std::fputs(report::terminal_report(findings, terminal).c_str(), stderr);
}

int show(const ShowOptions& options) {
  Result<analyze::Record> record = analyze::read_record(options.directory);
  if (!record) {
    fmt::print(stderr, "tenure: {}\n", record.error().message);
    return record.error().exit_code;
  }
  if (record->ledgers.empty() && !record->unreadable.empty()) {
    fmt::print(stderr, "tenure: {}\n", record->unreadable.front());
    return 2;
  }
  analyze::Findings findings = analyze::judge(*record, {});
  report::TerminalOptions terminal = terminal_options("");
  terminal.has_parts = true;
  std::fputs(report::terminal_report(findings, terminal).c_str(), stdout);
  if (options.has_sites) std::fputs(report::sites_table(site_rows(*record)).c_str(), stdout);
  if (options.has_loops) print_loops(*record);
  if (!options.json.empty() && !write_file(options.json, report::findings_json(findings))) {
    fmt::print(stderr, "tenure: cannot write {}: {}\n", options.json, std::strerror(errno));
    return 2;
  }
  return 0;
}

}  // namespace tenure::cli
