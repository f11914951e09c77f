#include "analyze/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ledger/record_file.h"

namespace tenure::analyze {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json to_json(const ResidentMemory& r) {
  return {{"total", r.total}, {"peak", r.peak},     {"anonymous", r.anonymous},
          {"file", r.file},   {"shared", r.shared}, {"stack", r.stack}};
}

ResidentMemory resident_from(const json& j) {
  return {j.value("total", uint64_t{0}),     j.value("peak", uint64_t{0}),
          j.value("anonymous", uint64_t{0}), j.value("file", uint64_t{0}),
          j.value("shared", uint64_t{0}),    j.value("stack", uint64_t{0})};
}

json to_json(const RunOutcome& o) {
  json processes = json::array(), moments = json::array();
  for (const ProcessOutcome& p : o.processes) {
    json pages = json::array();
    for (const PageMoment& m : p.pages)
      pages.push_back({m.tick, m.own, m.shared, m.anonymous, m.faults});
    processes.push_back({{"pid", p.pid},
                         {"ledger", p.ledger},
                         {"has_begun", p.has_begun},
                         {"resident", to_json(p.resident)},
                         {"live", p.live},
                         {"snapshots", p.snapshots},
                         {"pages", pages}});
  }
  for (const Moment& m : o.moments) moments.push_back({m.seconds, m.resident, m.live});
  return {{"schema", "tenure-run/1"},
          {"arguments", o.arguments},
          {"directory", o.directory},
          {"main_pid", o.main_pid},
          {"main_started", o.main_started},
          {"has_ended", o.has_ended},
          {"exit_code", o.exit_code},
          {"signal", o.signal},
          {"seconds", o.seconds},
          {"resident_peak", o.resident_peak},
          {"oom_kills", o.oom_kills},
          {"available_at_end", o.available_at_end},
          {"was_interrupted", o.was_interrupted},
          {"not_seen", o.not_seen},
          {"troubles", o.troubles},
          {"processes", processes},
          {"moments", moments}};
}

std::vector<PageMoment> pages_from(const json& j) {
  std::vector<PageMoment> pages;
  for (const json& m : j) {
    if (m.size() != 5) continue;
    auto at = [&](size_t i) { return m[i].get<uint64_t>(); };
    pages.push_back({at(0), at(1), at(2), at(3), at(4)});
  }
  return pages;
}

RunOutcome outcome_from(const json& j) {
  RunOutcome o;
  o.arguments = j.value("arguments", std::vector<std::string>{});
  o.directory = j.value("directory", "");
  o.main_pid = j.value("main_pid", 0);
  o.main_started = j.value("main_started", uint64_t{0});
  o.has_ended = j.value("has_ended", false);
  o.exit_code = j.value("exit_code", 0);
  o.signal = j.value("signal", 0);
  o.seconds = j.value("seconds", 0.0);
  o.resident_peak = j.value("resident_peak", uint64_t{0});
  o.oom_kills = j.value("oom_kills", uint64_t{0});
  o.available_at_end = j.value("available_at_end", uint64_t{0});
  o.was_interrupted = j.value("was_interrupted", false);
  o.not_seen = j.value("not_seen", "");
  o.troubles = j.value("troubles", std::vector<std::string>{});
  for (const json& p : j.value("processes", json::array())) {
    o.processes.push_back({p.value("pid", 0), p.value("ledger", ""), p.value("has_begun", true),
                           resident_from(p.value("resident", json::object())),
                           p.value("live", uint64_t{0}),
                           p.value("snapshots", std::vector<std::string>{}),
                           pages_from(p.value("pages", json::array()))});
  }
  for (const json& m : j.value("moments", json::array())) {
    if (m.size() == 3)
      o.moments.push_back({m[0].get<double>(), m[1].get<uint64_t>(), m[2].get<uint64_t>()});
  }
  return o;
}

// Files of a record lie in it: a name that leads elsewhere was not written by us.
bool is_inside(const std::string& name) { return name.find('/') == std::string::npos; }

bool are_inside(const std::vector<ProcessOutcome>& processes) {
  return std::all_of(processes.begin(), processes.end(), [](const ProcessOutcome& process) {
    return is_inside(process.ledger) &&
           std::all_of(process.snapshots.begin(), process.snapshots.end(), is_inside);
  });
}

// Fractions are seconds, and few. Others fit into no whole number: to read one as such is undefined.
bool has_fitting_numbers(const json& j) {
  constexpr double kMostSeconds = 1u << 31;
  if (j.is_number_float()) return j.get<double>() >= 0 && j.get<double>() < kMostSeconds;
  return !j.is_structured() || std::all_of(j.begin(), j.end(), has_fitting_numbers);
}

bool parse_outcome(const json& j, RunOutcome* out) {
  if (!has_fitting_numbers(j)) return false;
  try {
    RunOutcome outcome = outcome_from(j);
    if (!are_inside(outcome.processes)) return false;
    *out = std::move(outcome);
    return true;
  } catch (const json::exception&) {  // a value of another type than we write
    return false;
  }
}

// The snapshots of one process that lie beside its ledger, `snapshot.<pid>.<number>`, oldest first.
std::vector<std::string> snapshots_beside(const fs::path& directory, int pid) {
  std::map<int, std::string> by_number;
  std::string start = fmt::format("snapshot.{}.", pid);
  std::error_code failure;
  for (fs::directory_iterator at(directory, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::string name = at->path().filename().string();
    if (name.rfind(start, 0) == 0 && name.find(".new") == std::string::npos)
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
    if (name.rfind("ledger.", 0) != 0 || name.find(".new") != std::string::npos) continue;
    int pid = std::atoi(name.c_str() + 7);
    processes.push_back(
        {.pid = pid, .ledger = name, .snapshots = snapshots_beside(directory, pid)});
  }
  std::sort(processes.begin(), processes.end(),
            [](const auto& a, const auto& b) { return a.ledger < b.ledger; });
  return processes;
}

// False: another version of Tenure wrote it.
bool read_outcome(const fs::path& directory, Record* record) {
  std::ifstream file(directory / "run.json");
  if (!file) return true;
  json j = json::parse(file, nullptr, false);
  json schema = j.is_object() ? j.value("schema", json()) : json();
  if (schema.is_string() && schema != "tenure-run/1") return false;
  if (!schema.is_string() || !parse_outcome(j, &record->outcome))
    record->unreadable.push_back(fmt::format("{}/run.json is damaged", directory.string()));
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

}  // namespace

Result<bool> write_outcome(const std::string& directory, const RunOutcome& outcome) {
  const std::string text =
      to_json(outcome).dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  const std::string_view pieces[] = {text};
  return ledger::write_record_file((fs::path(directory) / "run.json").string(), pieces);
}

Result<Record> read_record(const std::string& directory) {
  std::error_code unknown;
  if (!fs::is_directory(directory, unknown)) {
    return Error{fmt::format("{} is no record of Tenure: there is no such directory", directory),
                 2};
  }
  Record record;
  if (!read_outcome(directory, &record)) {
    return Error{
        fmt::format("{} was written by another version of Tenure: use that version to read it",
                    directory),
        2};
  }
  bool has_outcome = record.outcome.main_pid != 0;
  if (!has_outcome) record.outcome.processes = processes_from_files(directory);
  read_ledgers(directory, &record);
  if (!has_outcome && record.outcome.processes.empty() && record.unreadable.empty()) {
    return Error{
        fmt::format("{} is no record of Tenure: it has neither run.json nor a ledger", directory),
        2};
  }
  return record;
}

}  // namespace tenure::analyze
