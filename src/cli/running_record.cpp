#include "cli/running_record.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/process_memory.h"
#include "cli/query_server.h"
#include "record/layout.h"
#include "record/run_json.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 3;             // folders below the current one
constexpr int kMostEntries = 50'000;  // a whole disk is not searched

// Nothing: it is no record, or its program does not run.
std::optional<uint64_t> start_of_running(const fs::path& folder) {
  std::ifstream file(folder / record::kRunFile);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  const auto outcome = record::parse_run_json(text.str(), folder.string());
  if (!outcome || !*outcome || (*outcome)->is_complete() || !is_still_there(**outcome))
    return std::nullopt;
  return (*outcome)->started_ns;
}

// People who look a program up by its name find `tenure run` first: then the program it started is meant.
Result<std::string> record_of_process(int pid) {
  Result<std::string> record = ask_for_record(pid);
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (int child; !record && children >> child;) {
    if (Result<std::string> of_child = ask_for_record(child)) return of_child;
  }
  return record;
}

}  // namespace

bool is_still_there(const record::RunOutcome& outcome) {
  return outcome.main_pid > 0 && start_of(outcome.main_pid) == outcome.main_started;
}

std::optional<int> process_id_in(const std::string& asked) {
  const bool is_number =
      !asked.empty() && asked.find_first_not_of("0123456789") == std::string::npos;
  std::error_code unknown;
  if (!is_number || asked.size() > 9 || fs::exists(asked, unknown)) return std::nullopt;
  return std::stoi(asked);
}

std::string newest_running_record(const std::string& folder) {
  std::string newest;
  uint64_t newest_start = 0;
  const auto look_at = [&](const fs::path& path) {
    const std::optional<uint64_t> start = start_of_running(path);
    if (!start || *start < newest_start) return start.has_value();
    newest = path.string();
    newest_start = *start;
    return true;
  };
  look_at(folder);
  std::error_code failure;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failure);
  int entries = 0;
  for (const fs::recursive_directory_iterator end;
       !failure && at != end && ++entries < kMostEntries; at.increment(failure)) {
    std::error_code unknown;
    if (!at->is_directory(unknown)) continue;
    const bool is_hidden = at->path().filename().string().starts_with('.');
    if (is_hidden || at.depth() >= kDepth || look_at(at->path())) at.disable_recursion_pending();
  }
  return newest.starts_with("./") ? newest.substr(2) : newest;
}

Result<std::string> record_meant(const std::string& asked) {
  if (const std::optional<int> pid = process_id_in(asked)) return record_of_process(*pid);
  if (!asked.empty()) return asked;
  std::string newest = newest_running_record(".");
  if (newest.empty())
    return Error{
        "no program runs under `tenure run` in this folder or below it; name its record or "
        "its process id",
        2};
  return newest;
}

}  // namespace tenure::cli
