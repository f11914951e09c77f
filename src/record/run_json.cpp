#include "record/run_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "record/layout.h"

namespace tenure::record {
namespace {

using nlohmann::json;

json to_json(const RunSettings& s) {
  return {{"steps", s.steps},        {"observe", s.is_observing}, {"guard", s.is_guarding},
          {"attach", s.is_attached}, {"source", s.keeps_source},  {"ignore", s.ignore}};
}

RunSettings settings_from(const json& j) {
  return {j.value("steps", "auto"), j.value("observe", false),
          j.value("guard", false),  j.value("attach", false),
          j.value("source", true),  j.value("ignore", std::vector<std::string>{})};
}

json to_json(const MachineFacts& m) {
  return {{"kernel", m.kernel}, {"architecture", m.architecture}, {"libc", m.libc},
          {"cpus", m.cpus},     {"memory", m.memory_bytes},       {"page", m.page_bytes}};
}

MachineFacts machine_from(const json& j) {
  return {
      j.value("kernel", ""),        j.value("architecture", ""),    j.value("libc", ""),
      j.value("cpus", uint64_t{0}), j.value("memory", uint64_t{0}), j.value("page", uint64_t{0})};
}

json to_json(const ResidentMemory& r) {
  return {{"total", r.total}, {"peak", r.peak},     {"anonymous", r.anonymous},
          {"file", r.file},   {"shared", r.shared}, {"stack", r.stack}};
}

ResidentMemory resident_from(const json& j) {
  return {j.value("total", uint64_t{0}),     j.value("peak", uint64_t{0}),
          j.value("anonymous", uint64_t{0}), j.value("file", uint64_t{0}),
          j.value("shared", uint64_t{0}),    j.value("stack", uint64_t{0})};
}

json to_json(const ProcessOutcome& p) {
  json pages = json::array(), memory = json::array(), mappings = json::array();
  for (const PageMoment& m : p.pages)
    pages.push_back({m.tick, m.own, m.shared, m.anonymous, m.faults});
  for (const MemoryMoment& m : p.memory)
    memory.push_back({m.tick, m.cpu_ns, m.anonymous, m.live, m.small, m.own});
  for (const MappingHistory& m : p.mappings)
    mappings.push_back(
        {{"start", m.start}, {"bytes", m.bytes}, {"name", m.name}, {"resident", m.resident}});
  return {{"pid", p.pid},
          {"ledger", p.ledger},
          {"has_begun", p.has_begun},
          {"resident", to_json(p.resident)},
          {"live", p.live},
          {"seen_ns", p.seen_ns},
          {"snapshots", p.snapshots},
          {"pages", pages},
          {"memory", memory},
          {"mappings", mappings}};
}

json to_json(const OwnUsage& own) {
  return {{"program_ns", own.program_ns},
          {"supervisor_ns", own.supervisor_ns},
          {"analysis_ns", own.analysis_ns},
          {"supervisor_bytes", own.supervisor_bytes}};
}

OwnUsage own_from(const json& j) {
  return {j.value("program_ns", uint64_t{0}), j.value("supervisor_ns", uint64_t{0}),
          j.value("analysis_ns", uint64_t{0}), j.value("supervisor_bytes", uint64_t{0})};
}

json to_json(const RunOutcome& o) {
  json processes = json::array(), moments = json::array();
  for (const ProcessOutcome& p : o.processes) processes.push_back(to_json(p));
  for (const Moment& m : o.moments) moments.push_back({m.seconds, m.resident, m.live});
  return {{"schema", kRunSchema},
          {"tenure", o.tenure},
          {"options", to_json(o.settings)},
          {"machine", to_json(o.machine)},
          {"arguments", o.arguments},
          {"started_ns", o.started_ns},
          {"directory", o.directory},
          {"main_pid", o.main_pid},
          {"main_started", o.main_started},
          {"has_ended", o.has_ended},
          {"is_detached", o.is_detached},
          {"exit_code", o.exit_code},
          {"signal", o.signal},
          {"seconds", o.seconds},
          {"resident_peak", o.resident_peak},
          {"own", to_json(o.own)},
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

std::vector<MemoryMoment> memory_from(const json& j) {
  std::vector<MemoryMoment> memory;
  for (const json& m : j) {
    if (m.size() != 6) continue;
    auto at = [&](size_t i) { return m[i].get<uint64_t>(); };
    memory.push_back({at(0), at(1), at(2), at(3), at(4), at(5)});
  }
  return memory;
}

std::vector<MappingHistory> mappings_from(const json& j) {
  std::vector<MappingHistory> mappings;
  for (const json& m : j)
    mappings.push_back({m.value("start", uint64_t{0}), m.value("bytes", uint64_t{0}),
                        m.value("name", ""), m.value("resident", std::vector<uint64_t>{})});
  return mappings;
}

RunOutcome outcome_from(const json& j) {
  RunOutcome o;
  o.tenure = j.value("tenure", "");
  o.settings = settings_from(j.value("options", json::object()));
  o.machine = machine_from(j.value("machine", json::object()));
  o.arguments = j.value("arguments", std::vector<std::string>{});
  o.started_ns = j.value("started_ns", uint64_t{0});
  o.directory = j.value("directory", "");
  o.main_pid = j.value("main_pid", 0);
  o.main_started = j.value("main_started", uint64_t{0});
  o.has_ended = j.value("has_ended", false);
  o.is_detached = j.value("is_detached", false);
  o.exit_code = j.value("exit_code", 0);
  o.signal = j.value("signal", 0);
  o.seconds = j.value("seconds", 0.0);
  o.resident_peak = j.value("resident_peak", uint64_t{0});
  o.own = own_from(j.value("own", json::object()));
  o.oom_kills = j.value("oom_kills", uint64_t{0});
  o.available_at_end = j.value("available_at_end", uint64_t{0});
  o.was_interrupted = j.value("was_interrupted", false);
  o.not_seen = j.value("not_seen", "");
  o.troubles = j.value("troubles", std::vector<std::string>{});
  for (const json& p : j.value("processes", json::array())) {
    o.processes.push_back(
        {p.value("pid", 0), p.value("ledger", ""), p.value("has_begun", true),
         resident_from(p.value("resident", json::object())), p.value("live", uint64_t{0}),
         p.value("seen_ns", uint64_t{0}), p.value("snapshots", std::vector<std::string>{}),
         pages_from(p.value("pages", json::array())), memory_from(p.value("memory", json::array())),
         mappings_from(p.value("mappings", json::array()))});
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

// Format 1 did not say which version wrote it.
Error of_another_version(const std::string& name, const json& j, const std::string& schema) {
  const json version = j.value("tenure", json());
  const std::string writer =
      version.is_string() ? "Tenure " + version.get<std::string>() : "an older Tenure";
  return {
      fmt::format("{} was recorded by {} in the format {}; this is Tenure {}, which "
                  "reads {}: record the program again, or read it with the Tenure that wrote it",
                  name, writer, schema, version_words(), kRunSchema),
      2};
}

}  // namespace

std::string run_json(const RunOutcome& outcome) {
  return to_json(outcome).dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<std::optional<RunOutcome>> parse_run_json(const std::string& text, const std::string& name) {
  const json j = json::parse(text, nullptr, false);
  const json schema = j.is_object() ? j.value("schema", json()) : json();
  if (schema.is_string() && schema != kRunSchema)
    return of_another_version(name, j, schema.get<std::string>());
  RunOutcome outcome;
  if (!schema.is_string() || !parse_outcome(j, &outcome)) return std::optional<RunOutcome>();
  return std::optional(std::move(outcome));
}

}  // namespace tenure::record
