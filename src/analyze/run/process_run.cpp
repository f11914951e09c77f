#include "analyze/run/process_run.h"

#include <filesystem>

#include "analyze/run/rules.h"

namespace tenure::analyze {
namespace {

uint64_t peak_of(const record::Record& record, int index) {
  return record.ledgers.at(index).header().peak_bytes.load();
}

}  // namespace

std::optional<int> main_process(const record::Record& record) {
  std::optional<int> found;
  for (const auto& [index, ledger] : record.ledgers) {
    const record::ProcessOutcome& process = record.outcome.processes[static_cast<size_t>(index)];
    if (process.pid == record.outcome.main_pid || !found) found = index;
  }
  // `timeout 100 python train.py`: the first process only waits for the one that works.
  if (!found || peak_of(record, *found) >= kSmallestPeak) return found;
  for (const auto& [index, ledger] : record.ledgers) {
    if (peak_of(record, index) > peak_of(record, *found)) found = index;
  }
  return found;
}

const std::vector<ledger::Snapshot>& snapshots_of(const record::Record& record, int index) {
  static const std::vector<ledger::Snapshot> kNone;
  auto found = record.snapshots.find(index);
  return found == record.snapshots.end() ? kNone : found->second;
}

std::string main_file_of(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    std::filesystem::path path(argument);
    if (path.extension() == ".py") return path.filename().string();
  }
  return "";
}

}  // namespace tenure::analyze
