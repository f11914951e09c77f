#include "report/formats/fleet_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/hash.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"
#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using analyze::Findings;
using analyze::PageProcess;
using analyze::Place;
using analyze::ProcessResults;
using Json = nlohmann::ordered_json;

constexpr uint64_t kNanoseconds = 1'000'000'000;

// Engines of SQL have no unsigned numbers in common.
int64_t whole(uint64_t value) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(std::min(value, kMost));
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(valid_utf8(text));
}

Json known(uint64_t value) { return value == 0 ? Json(nullptr) : Json(whole(value)); }

// `4711` of `ledger.4711`, `4711.2` of the same process after an exec.
std::string process_name(const record::ProcessOutcome& process) {
  constexpr std::string_view kLedger = "ledger.";
  const std::string& file = process.ledger;
  return file.starts_with(kLedger) ? file.substr(kLedger.size()) : std::to_string(process.pid);
}

std::string run_name(const Findings& findings, const FleetOrigin& origin) {
  if (!origin.run.empty()) return origin.run;
  if (!origin.placement.job.empty()) return "job-" + origin.placement.job;
  const auto seconds = static_cast<time_t>(origin.outcome.started_ns / kNanoseconds);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char stamp[32];
  const size_t length = std::strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
  return fmt::format("{}-{}", program_name(findings.program), std::string_view(stamp, length));
}

class Rows {
 public:
  Rows(const Findings& findings, const FleetOrigin& origin)
      : findings_(findings),
        outcome_(origin.outcome),
        placement_(origin.placement),
        run_(run_name(findings, origin)),
        record_(record_id(origin.outcome, origin.placement)) {}

  void add_results(const ProcessResults& process);
  std::vector<FleetTable> take() {
    std::vector<FleetTable> tables;
    for (auto& [name, rows] : rows_) tables.push_back({name, std::move(rows)});
    return tables;
  }

 private:
  std::string path(const Place& place) const;
  void add(const char* table, const Json& columns);
  void add_process(const ProcessResults& process);
  void add_line(const analyze::PageLine& line);
  void add_holder(const analyze::PageBlock& block);
  void add_moment(const PageProcess& process, const analyze::PageMoment& moment);
  void add_growth(const analyze::ConsideredLine& line);
  void add_finding(size_t number, const analyze::Finding& finding);

  const Findings& findings_;
  const record::RunOutcome& outcome_;
  const record::Placement& placement_;
  std::string run_, record_;
  Json origin_;  // what each row of one process begins with
  std::map<std::string, std::string> rows_;
};

std::string Rows::path(const Place& place) const {
  return valid_utf8(shown_path(place.file, outcome_.directory));
}

void Rows::add(const char* table, const Json& columns) {
  Json row = origin_;
  row.update(columns);
  rows_[table] += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void Rows::add_results(const ProcessResults& process) {
  const record::ProcessOutcome& outcome = outcome_.processes[static_cast<size_t>(process.index)];
  const std::string& host = placement_.host;
  const int rank = placement_.rank_of(outcome.ledger);
  origin_ = {{"run", valid_utf8(run_)},
             {"host", host.empty() ? "unknown" : valid_utf8(host)},
             {"process", valid_utf8(process_name(outcome))},
             {"record", record_},
             {"pid", outcome.pid},
             {"rank", rank == record::kNoRank ? Json(nullptr) : Json(rank)}};
  add_process(process);
  for (const analyze::PageLine& line : process.page.lines) add_line(line);
  for (const analyze::PageBlock& block : process.page.blocks) add_holder(block);
  for (const analyze::PageMoment& moment : process.page.moments) add_moment(process.page, moment);
  for (const analyze::ConsideredLine& line : process.considered) add_growth(line);
  for (size_t i = 0; i < process.findings.size(); ++i) add_finding(i + 1, process.findings[i]);
}

void Rows::add_process(const ProcessResults& results) {
  const PageProcess& process = results.page;
  const auto since_1970 = [&](double seconds) {
    return whole(outcome_.started_ns + static_cast<uint64_t>(std::max(seconds, 0.0) * 1e9));
  };
  const analyze::ProgramInfo& program = findings_.program;
  const bool has_exited =
      process.is_main && !program.is_running && !program.is_end_unseen && !program.signal;
  const bool was_killed = process.is_main && program.signal;
  add("processes", {{"parent_pid", process.parent_pid},
                    {"is_main", process.is_main},
                    {"command", text_or_null(process.command)},
                    {"began_ns", since_1970(process.began_seconds)},
                    {"ended_ns", since_1970(process.ended_seconds)},
                    {"seconds", number(process.ended_seconds - process.began_seconds)},
                    {"steps", whole(process.steps)},
                    {"per", text_or_null(rendered(process.per))},
                    {"peak_bytes", whole(process.peak_bytes)},
                    {"live_bytes", whole(process.live_bytes)},
                    {"resident_peak_bytes", known(process.resident_peak_bytes)},
                    {"leaks", results.leaks},
                    {"verdict", code(findings_.verdict)},
                    {"exit_code", has_exited ? Json(program.exit_code) : Json(nullptr)},
                    {"signal", was_killed ? Json(*program.signal) : Json(nullptr)},
                    {"machine_bytes", known(outcome_.machine.memory_bytes)},
                    {"available_bytes", known(outcome_.available_at_end)},
                    {"tenure", outcome_.tenure}});
}

void Rows::add_line(const analyze::PageLine& line) {
  add("lines", {{"file", path(line.place)},
                {"line", line.place.line},
                {"function", valid_utf8(line.place.function)},
                {"kind", line.kind},
                {"role", text_or_null(line.role)},
                {"op", text_or_null(rendered(line.op))},
                {"came_to", line.came_to ? Json(code(*line.came_to)) : Json(nullptr)},
                {"peak_bytes", whole(line.peak_bytes)},
                {"peak_count", whole(line.peak_count)},
                {"live_bytes", whole(line.live_bytes)},
                {"live_count", whole(line.live_count)},
                {"total_bytes", whole(line.total_bytes)},
                {"total_count", whole(line.total_count)}});
}

void Rows::add_holder(const analyze::PageBlock& block) {
  add("holders", {{"file", path(block.place)},
                  {"line", block.place.line},
                  {"function", valid_utf8(block.place.function)},
                  {"op", text_or_null(rendered(block.op))},
                  {"block", text_or_null(block.block)},
                  {"holder", text_or_null(rendered(block.holder))},
                  {"bytes", whole(block.bytes)},
                  {"age_steps", number(block.age_steps)}});
}

void Rows::add_moment(const PageProcess& process, const analyze::PageMoment& moment) {
  const double since_start = std::max(process.began_seconds + moment.seconds, 0.0);
  add("timeline", {{"at_ns", whole(outcome_.started_ns + static_cast<uint64_t>(since_start * 1e9))},
                   {"seconds", number(moment.seconds)},
                   {"tick", whole(moment.tick)},
                   {"step", number(moment.step)},
                   {"live_bytes", whole(moment.live)},
                   {"anonymous_bytes", known(moment.anonymous)}});
}

void Rows::add_growth(const analyze::ConsideredLine& line) {
  add("growth", {{"file", path(line.place)},
                 {"line", line.place.line},
                 {"function", valid_utf8(line.place.function)},
                 {"came_to", code(line.what)},
                 {"rule", code(line.rule)},
                 {"holder", line.holder ? text_or_null(holder_text(*line.holder)) : Json(nullptr)},
                 {"bytes", whole(line.bytes)},
                 {"count", whole(line.count)},
                 {"most_bytes", whole(line.most_bytes)},
                 {"bytes_per_step", number(line.bytes_per_step)},
                 {"steps", whole(line.steps)},
                 {"per", text_or_null(rendered(line.per))}});
}

void Rows::add_finding(size_t at, const analyze::Finding& finding) {
  const Place place = finding.where.empty() ? Place{} : finding.where[0];
  add("findings",
      {{"number", at},
       {"kind", code(finding.kind)},
       {"severity", code(finding.severity)},
       {"title", text_or_null(rendered(finding.title))},
       {"why", text_or_null(rendered(finding.why))},
       {"fix", text_or_null(rendered(finding.fix))},
       {"confidence", number(finding.confidence)},
       {"file", finding.where.empty() ? Json(nullptr) : Json(path(place))},
       {"line", finding.where.empty() ? Json(nullptr) : Json(place.line)},
       {"function", text_or_null(place.function)},
       {"holder", finding.holder ? text_or_null(holder_text(*finding.holder)) : Json(nullptr)},
       {"op", text_or_null(rendered(finding.op))},
       {"device", finding.device},
       {"bytes", whole(finding.bytes)},
       {"count", whole(finding.count)},
       {"bytes_per_step", finding.bytes_per_step ? number(*finding.bytes_per_step) : Json(nullptr)},
       {"steps", finding.steps ? Json(whole(*finding.steps)) : Json(nullptr)},
       {"per", text_or_null(rendered(finding.per))},
       {"accepted_by", text_or_null(finding.accepted_by)}});
}

}  // namespace

std::string record_id(const record::RunOutcome& outcome, const record::Placement& placement) {
  uint64_t id = mix(outcome.started_ns, outcome.main_started);
  id = mix(id, static_cast<uint64_t>(outcome.main_pid));
  for (const std::string& name : {placement.host, outcome.directory})
    id = mix(id, hash_bytes(name.data(), name.size()));
  return fmt::format("{:016x}", id);
}

std::vector<FleetTable> fleet_rows(const Findings& findings,
                                   const std::vector<ProcessResults>& processes,
                                   const FleetOrigin& origin) {
  Rows rows(findings, origin);
  for (const ProcessResults& process : processes) rows.add_results(process);
  return rows.take();
}

}  // namespace tenure::report
