#include "cli/page_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "analyze/analysis.h"
#include "cli/process_memory.h"
#include "ledger/record_file.h"
#include "record/layout.h"
#include "record/read.h"
#include "record/site_looks.h"
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

Result<bool> check_shell() {
  if (!report::page_shell().empty()) return true;
  return Error{
      "this build of Tenure has no report page: install Node.js 18 or newer with npm, and build "
      "Tenure again",
      2};
}

}  // namespace

Result<bool> write_document(const std::string& document, const std::string& path) {
  if (Result<bool> shell = check_shell(); !shell) return shell;
  const std::string html = report::html_page(report::page_shell(), document);
  const std::string_view pieces[] = {html};
  return ledger::write_record_file(path, pieces);
}

Result<bool> write_page(const record::Record& record, const analyze::Findings& findings,
                        analyze::Page page, const std::string& path) {
  if (Result<bool> shell = check_shell(); !shell) return shell;
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

Result<std::string> write_page_of(const std::string& directory, const std::string& output) {
  Result<record::Record> record = record::read_record(directory);
  if (!record) return record.error();
  if (record->ledgers.empty() && !record->unreadable.empty())
    return Error{record->unreadable.front(), 2};
  record::RunOutcome& outcome = record->outcome;
  const bool is_there = outcome.main_pid > 0 && start_of(outcome.main_pid) == outcome.main_started;
  if (!outcome.is_complete() && !is_there) outcome.is_end_unseen = true;
  analyze::Page page;
  page.looks = record::read_looks(directory);
  analyze::Findings findings = analyze::judge(*record, {}, &page);
  report::add_source_text(*record->sources, findings);
  const std::string path = output.empty() ? directory + "/" + record::kPageFile : output;
  Result<bool> written = write_page(*record, findings, std::move(page), path);
  if (!written) return written.error();
  return path;
}

bool open_in_browser(const std::string& page) {
  const char* opener = "/usr/bin/xdg-open";
  const bool has_windows = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
  if (!has_windows || access(opener, X_OK) != 0) return false;
  const pid_t child = fork();
  if (child < 0) return false;
  if (child ==
      0) {  // a child of its own: nobody waits for the browser, and it has no terminal to write to
    if (fork() != 0) _exit(0);
    setsid();
    const int nothing = open("/dev/null", O_RDWR);
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, fd);
    execl(opener, opener, page.c_str(), nullptr);
    _exit(127);
  }
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;
}

}  // namespace tenure::cli
