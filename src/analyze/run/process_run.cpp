#include "analyze/run/process_run.h"

#include <algorithm>
#include <filesystem>

#include "analyze/run/rules.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

uint64_t peak_of(const record::Record& record, int index) {
  return record.ledgers.at(index).header().peak_bytes.load();
}

// `python -m MODULE` or `python -c TEXT`, where the text is not the one by which multiprocessing starts a worker.
bool has_no_script(const std::vector<std::string>& arguments) {
  auto option = std::find_if(arguments.begin(), arguments.end(),
                             [](const std::string& a) { return a == "-c" || a == "-m"; });
  return option != arguments.end() && option + 1 != arguments.end() &&
         (option + 1)->find("multiprocessing") == std::string::npos;
}

// A sentence where cells ran; empty elsewhere. A terminal's have names of no file.
std::string notebook_of(const ledger::Reader& ledger) {
  for (const ledger::Fact& fact : ledger.facts()) {
    std::string_view key = ledger.string(fact.key);
    if (key.starts_with("cell.<")) return sentence("holder.session");
    if (key.starts_with("cell.")) return sentence("holder.notebook");
  }
  return "";
}

}  // namespace

std::vector<std::string> arguments_of(const ledger::Reader& ledger) {
  std::vector<std::string> arguments;
  std::string_view all = ledger.string(ledger.header().arguments);
  while (!all.empty()) {
    size_t end = std::min(all.find('\0'), all.size());
    arguments.emplace_back(all.substr(0, end));
    all.remove_prefix(std::min(end + 1, all.size()));
  }
  return arguments;
}

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

std::string main_file_of(const record::Record& record, int index) {
  auto ledger = record.ledgers.find(index);
  if (ledger == record.ledgers.end()) return main_file_of(record.outcome.arguments);
  if (std::string notebook = notebook_of(ledger->second); !notebook.empty()) return notebook;
  std::vector<std::string> arguments = arguments_of(ledger->second);
  std::string own = main_file_of(arguments);
  if (!own.empty() || has_no_script(arguments)) return own;
  return main_file_of(record.outcome.arguments);
}

}  // namespace tenure::analyze
