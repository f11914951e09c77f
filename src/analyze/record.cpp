#include "analyze/record.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

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
    processes.push_back({{"pid", p.pid},
                         {"ledger", p.ledger},
                         {"resident", to_json(p.resident)},
                         {"live", p.live},
                         {"snapshots", p.snapshots}});
  }
  for (const Moment& m : o.moments) moments.push_back({m.seconds, m.resident, m.live});
  return {{"schema", "tenure-run/1"},
          {"arguments", o.arguments},
          {"directory", o.directory},
          {"main_pid", o.main_pid},
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

RunOutcome outcome_from(const json& j) {
  RunOutcome o;
  o.arguments = j.value("arguments", std::vector<std::string>{});
  o.directory = j.value("directory", "");
  o.main_pid = j.value("main_pid", 0);
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
    o.processes.push_back({p.value("pid", 0), p.value("ledger", ""),
                           resident_from(p.value("resident", json::object())),
                           p.value("live", uint64_t{0}),
                           p.value("snapshots", std::vector<std::string>{})});
  }
  for (const json& m : j.value("moments", json::array())) {
    if (m.size() == 3)
      o.moments.push_back({m[0].get<double>(), m[1].get<uint64_t>(), m[2].get<uint64_t>()});
  }
  return o;
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

void read_snapshots(const fs::path& directory, int process, Record& record) {
  for (const std::string& name : record.outcome.processes[static_cast<size_t>(process)].snapshots) {
    auto snapshot = ledger::Snapshot::open((directory / name).string());
    if (snapshot)
      record.snapshots[process].push_back(std::move(*snapshot));
    else
      record.unreadable.push_back(snapshot.error().message);
  }
}

// A record whose supervisor died before it wrote run.json: the ledgers still tell.
RunOutcome outcome_from_files(const fs::path& directory) {
  RunOutcome o;
  for (const auto& entry : fs::directory_iterator(directory)) {
    std::string name = entry.path().filename().string();
    if (name.rfind("ledger.", 0) == 0 && name.find(".new") == std::string::npos) {
      int pid = std::atoi(name.c_str() + 7);
      o.processes.push_back({pid, name, {}, 0, snapshots_beside(directory, pid)});
    }
  }
  return o;
}

}  // namespace

Result<bool> write_outcome(const std::string& directory, const RunOutcome& outcome) {
  fs::path path = fs::path(directory) / "run.json", beside = path.string() + ".new";
  {
    std::ofstream file(beside);
    file << to_json(outcome).dump(1, ' ', false, json::error_handler_t::replace) << "\n";
    if (!file.flush())
      return Error{fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)), 2};
  }
  std::error_code failure;
  fs::rename(beside, path, failure);
  if (failure)
    return Error{fmt::format("cannot write {}: {}", path.string(), failure.message()), 2};
  return true;
}

Result<Record> read_record(const std::string& directory) {
  if (!fs::is_directory(directory)) {
    return Error{fmt::format("{} is no record of Tenure: there is no such directory", directory),
                 2};
  }
  Record record;
  std::ifstream file(fs::path(directory) / "run.json");
  if (file) {
    json j = json::parse(file, nullptr, false);
    if (j.is_discarded() || !j.is_object())
      record.unreadable.push_back(fmt::format("{}/run.json is damaged", directory));
    else if (j.value("schema", "") != "tenure-run/1") {
      return Error{
          fmt::format("{} was written by another version of Tenure: use that version to read it",
                      directory),
          2};
    } else {
      try {
        record.outcome = outcome_from(j);
      } catch (const json::exception&) {
        record.unreadable.push_back(fmt::format("{}/run.json is damaged", directory));
      }
    }
  }
  if (record.outcome.processes.empty())
    record.outcome.processes = outcome_from_files(directory).processes;
  for (size_t i = 0; i < record.outcome.processes.size(); ++i) {
    auto reader =
        ledger::Reader::open((fs::path(directory) / record.outcome.processes[i].ledger).string());
    if (reader)
      record.ledgers.emplace(static_cast<int>(i), std::move(*reader));
    else
      record.unreadable.push_back(reader.error().message);
    read_snapshots(directory, static_cast<int>(i), record);
  }
  if (!file.is_open() && record.outcome.processes.empty()) {
    return Error{
        fmt::format("{} is no record of Tenure: it has neither run.json nor a ledger", directory),
        2};
  }
  return record;
}

}  // namespace tenure::analyze
