// cli/export_fleet.cpp: `tenure export --parquet DIR RECORD...`: many records as one dataset that engines of SQL read.
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "analyze/judge_each.h"
#include "cli/open_record.h"
#include "cli/python_package.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "report/formats/fleet_rows.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

// Inside of the dataset, so that what is written there can be renamed into its place; no engine reads names with a dot.
class RowsFolder {
 public:
  static Result<RowsFolder> make(const std::string& dataset) {
    std::error_code failure;
    fs::create_directories(dataset, failure);
    std::string path = dataset + "/.rows-XXXXXX";
    if (failure || !mkdtemp(path.data()))
      return Error{fmt::format("cannot make the dataset {}: {}", dataset,
                               failure ? failure.message() : std::strerror(errno)),
                   2};
    return RowsFolder(std::move(path));
  }
  RowsFolder(RowsFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  RowsFolder(const RowsFolder&) = delete;
  RowsFolder& operator=(const RowsFolder&) = delete;
  RowsFolder& operator=(RowsFolder&&) = delete;
  ~RowsFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit RowsFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

bool write_rows(const std::string& folder, const std::vector<report::FleetTable>& tables) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  for (const report::FleetTable& table : tables) {
    std::ofstream file(folder + "/" + table.name + ".ndjson", std::ios::binary);
    file << table.rows;
    if (!file.flush()) return false;
  }
  return !failure;
}

class FleetExport {
 public:
  FleetExport(const ExportOptions& options, const RowsFolder& folder)
      : options_(options), folder_(folder) {}

  // False: it is left out, and that was told.
  bool add(const std::string& directory) {
    Result<record::Record> record = open_record(directory);
    if (!record) return refuse(record.error().message);
    const record::Placement placement = record::read_placement(directory);
    const std::string id = report::record_id(record->outcome, placement);
    const auto [known, is_new] = records_.try_emplace(id, directory);
    if (!is_new)
      return refuse(
          fmt::format("{} is the same run as {}; it is left out", directory, known->second));
    std::vector<analyze::ProcessResults> processes;
    const analyze::Findings findings = analyze::judge_each(*record, processes);
    if (processes.empty())
      return refuse(fmt::format("{} has no process that left a ledger; it is left out", directory));
    if (!write_rows(
            folder_.path() + "/" + id,
            report::fleet_rows(findings, processes, {record->outcome, placement, options_.run})))
      return refuse(fmt::format("cannot write into {}: {}", options_.output, std::strerror(errno)));
    ++written_;
    return true;
  }
  size_t written() const { return written_; }

 private:
  static bool refuse(const std::string& sentence) {
    say_line(sentence);
    return false;
  }

  const ExportOptions& options_;
  const RowsFolder& folder_;
  std::map<std::string, std::string> records_;  // by their ids
  size_t written_ = 0;
};

}  // namespace

int export_fleet(const ExportOptions& options) {
  Result<RowsFolder> folder = RowsFolder::make(options.output);
  if (!folder) {
    say_line(folder.error().message);
    return folder.error().exit_code;
  }
  FleetExport fleet(options, *folder);
  bool are_all_there = true;
  for (const std::string& directory : options.records) are_all_there &= fleet.add(directory);
  if (fleet.written() == 0) return 2;
  const Result<int> written =
      run_python_module("tenure.fleet", {"write", options.output, folder->path()}, options.python);
  if (!written) say_line(written.error().message);
  return written && *written == 0 && are_all_there ? 0 : 2;
}

}  // namespace tenure::cli
