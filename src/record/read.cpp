#include "record/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "record/layout.h"
#include "record/run_json.h"
#include "record/sources_json.h"
#include "record/symbols_json.h"

namespace tenure::record {
namespace {

namespace fs = std::filesystem;

// Nothing: there is no such file.
std::optional<std::string> text_of(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The snapshots of one process that lie beside its ledger, `snapshot.<pid>.<number>`, oldest first.
std::vector<std::string> snapshots_beside(const fs::path& directory, int pid) {
  std::map<int, std::string> by_number;
  std::string start = fmt::format("{}{}.", kSnapshotStart, pid);
  std::error_code failure;
  for (fs::directory_iterator at(directory, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::string name = at->path().filename().string();
    if (name.starts_with(start) && name.find(".new") == std::string::npos)
      by_number[std::atoi(name.c_str() + start.size())] = name;
  }
  std::vector<std::string> names;
  for (auto& [number, name] : by_number) names.push_back(std::move(name));
  return names;
}

// A record without a list of its processes: the ledgers still tell.
std::vector<ProcessOutcome> processes_from_files(const fs::path& directory) {
  std::vector<ProcessOutcome> processes;
  std::error_code failure;
  for (fs::directory_iterator at(directory, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::string name = at->path().filename().string();
    if (!name.starts_with(kLedgerStart) || name.find(".new") != std::string::npos) continue;
    int pid = std::atoi(name.c_str() + std::size(kLedgerStart) - 1);
    processes.push_back(
        {.pid = pid, .ledger = name, .snapshots = snapshots_beside(directory, pid)});
  }
  std::sort(processes.begin(), processes.end(),
            [](const auto& a, const auto& b) { return a.ledger < b.ledger; });
  return processes;
}

Result<bool> read_outcome(const fs::path& directory, Record* record) {
  std::optional<std::string> text = text_of(directory / kRunFile);
  if (!text) return true;
  Result<std::optional<RunOutcome>> outcome = parse_run_json(*text, directory.string());
  if (!outcome) return outcome.error();
  if (*outcome)
    record->outcome = std::move(**outcome);
  else
    record->unreadable.push_back(fmt::format("{}/{} is damaged", directory.string(), kRunFile));
  return true;
}

void read_snapshots(const fs::path& directory, int process, Record& record) {
  for (const std::string& name : record.outcome.processes[static_cast<size_t>(process)].snapshots) {
    auto snapshot = ledger::Snapshot::open((directory / name).string());
    if (snapshot)
      record.snapshots[process].push_back(std::move(*snapshot));
    else
      record.unreadable.push_back(snapshot.error().message);
  }
}

void read_ledgers(const fs::path& directory, Record* record) {
  for (size_t i = 0; i < record->outcome.processes.size(); ++i) {
    if (!record->outcome.processes[i].has_begun) continue;
    fs::path path = directory / record->outcome.processes[i].ledger;
    auto reader = ledger::Reader::open(path.string());
    if (reader)
      record->ledgers.emplace(static_cast<int>(i), std::move(*reader));
    else
      record->unreadable.push_back(reader.error().message);
    read_snapshots(directory, static_cast<int>(i), *record);
  }
}

// The modules of this machine are asked only where no run has ended that could have asked them.
void read_symbols(const fs::path& directory, Record* record) {
  const fs::path path = directory / kSymbolsFile;
  std::error_code unknown;
  if (!fs::exists(path, unknown)) {
    record->symbols = Symbols::from_modules();
    return;
  }
  Result<std::vector<char>> raw = ledger::read_image(path.string(), kSymbolsImage);
  std::optional<SymbolAnswers> answers =
      raw ? parse_symbols_json({raw->data(), raw->size()}) : std::nullopt;
  record->has_symbols = answers.has_value();
  if (answers)
    record->symbols = std::make_shared<Symbols>(std::move(*answers));
  else
    record->unreadable.push_back(raw ? fmt::format("{} is damaged", path.string())
                                     : raw.error().message);
}

void read_sources(const fs::path& directory, Record* record) {
  std::optional<std::string> text = text_of(directory / kSourcesFile);
  std::optional<SourceAnswers> answers = text ? parse_sources_json(*text) : std::nullopt;
  if (!text)
    record->sources = Sources::from_files(record->outcome);
  else if (answers)
    record->sources = std::make_shared<Sources>(std::move(*answers));
  else
    record->unreadable.push_back(fmt::format("{}/{} is damaged", directory.string(), kSourcesFile));
}

}  // namespace

Result<Record> read_record(const std::string& directory) {
  std::error_code unknown;
  if (!fs::is_directory(directory, unknown)) {
    return Error{fmt::format("{} is no record of Tenure: there is no such directory", directory),
                 2};
  }
  Record record;
  if (Result<bool> done = read_outcome(directory, &record); !done) return done.error();
  bool has_outcome = record.outcome.main_pid != 0;
  if (!has_outcome) record.outcome.processes = processes_from_files(directory);
  read_ledgers(directory, &record);
  read_symbols(directory, &record);
  read_sources(directory, &record);
  if (!has_outcome && record.outcome.processes.empty() && record.unreadable.empty()) {
    return Error{
        fmt::format("{} is no record of Tenure: it has neither run.json nor a ledger", directory),
        2};
  }
  return record;
}

}  // namespace tenure::record
