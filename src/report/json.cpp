#include "report/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/json_parts.h"
#include "report/process_words.h"
#include "report/sentences.h"

namespace tenure::report {
namespace {

using analyze::Finding;
using analyze::Findings;
using analyze::Holder;
using analyze::Place;
using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// JSON has no word for what is not a number; a slope that is none was not measured.
Json number_or_null(std::optional<double> number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

double within_one(double share) { return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0; }

template <class Item, class Function>
Json list_of(const std::vector<Item>& items, Function function) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(function(item));
  return list;
}

Json words_of(const std::map<std::string, std::string>& words) {
  Json object = Json::object();
  for (const auto& [name, text] : words) object[name] = rendered(text);
  return object;
}

Json place_json(const Place& place) {
  return {{"file", place.file},
          {"line", place.line},
          {"function", place.function},
          {"role", code(place.role)},
          {"source", place.source}};
}

Json holder_json(const std::optional<Holder>& holder) {
  if (!holder) return nullptr;
  const auto step = [](const analyze::HolderStep& part) -> Json {
    return {{"name", rendered(part.name)}, {"type", part.type}};
  };
  return {{"text", holder_text(*holder)}, {"path", list_of(holder->path, step)}};
}

Json error_json(const std::optional<analyze::ErrorText>& error) {
  if (!error) return nullptr;
  return {{"type", error->type}, {"message", error->message}};
}

// Which figures are estimates.
Json about_json(const Finding& finding) {
  Json about = Json::array();
  if (finding.is_estimated) about = {"bytes", "count"};
  if (finding.are_steps_estimated && finding.steps) about.push_back("steps");
  return about;
}

}  // namespace

Json finding_json(const Finding& finding) {
  return {
      {"kind", code(finding.kind)},
      {"severity", code(finding.severity)},
      {"title", rendered(finding.title)},
      {"why", rendered(finding.why)},
      {"fix", rendered(finding.fix)},
      {"confidence", within_one(finding.confidence)},
      {"where", list_of(finding.where, place_json)},
      {"holder", holder_json(finding.holder)},
      {"op", text_or_null(rendered(finding.op))},
      {"device", finding.device},
      {"bytes", finding.bytes},
      {"count", finding.count},
      {"bytes_per_step", number_or_null(finding.bytes_per_step)},
      {"steps", finding.steps ? Json(*finding.steps) : Json(nullptr)},
      {"about", about_json(finding)},
      {"per", text_or_null(rendered(finding.per))},
      {"steps_till_full", finding.steps_till_full ? Json(*finding.steps_till_full) : Json(nullptr)},
      {"processes", finding.pids},
      {"error", error_json(finding.error)},
      {"accepted_by", text_or_null(finding.accepted_by)}};
}

namespace {

Json considered_json(const analyze::ConsideredLine& line) {
  return {{"file", line.place.file},
          {"line", line.place.line},
          {"function", line.place.function},
          {"came_to", code(line.what)},
          {"rule", code(line.rule)},
          {"holder", line.holder ? Json(holder_text(*line.holder)) : Json(nullptr)},
          {"bytes", line.bytes},
          {"count", line.count},
          {"most_bytes", line.most_bytes},
          {"bytes_per_step", number_or_null(line.bytes_per_step)},
          {"steps", line.steps},
          {"per", text_or_null(rendered(line.per))}};
}

Json moment_json(const analyze::BalanceMoment& moment) {
  Json came_to = Json::object();
  for (const auto& [what, bytes] : moment.came_to) came_to[code(what)] = bytes;
  return {{"total_bytes", moment.total},
          {"came_to", std::move(came_to)},
          {"small_lines_bytes", moment.small_lines},
          {"own_bytes", moment.own}};
}

Json process_json(const analyze::ProcessFigures& process) {
  return {{"pid", process.pid},
          {"parent_pid", process.parent_pid},
          {"argv", list_of(process.arguments, [](const std::string& text) { return Json(text); })},
          {"began_seconds", process.began_seconds},
          {"ended_seconds", process.ended_seconds},
          {"peak_bytes", process.peak_bytes},
          {"live_bytes", process.live_bytes},
          {"resident_peak_bytes", process.resident_peak_bytes},
          {"leaks", process.has_leak},
          {"role", text_or_null(role_words(process.role))}};
}

}  // namespace

Json balance_json(const analyze::LineBalance& balance) {
  return {{"pid", balance.pid},
          {"device", "cpu"},
          {"at_peak", moment_json(balance.at_peak)},
          {"at_end", moment_json(balance.at_end)}};
}

namespace {

// A program has an exit code or a signal, and neither while it runs or when nobody saw its end.
Json program_json(const analyze::ProgramInfo& program) {
  const bool has_exited = !program.is_running && !program.is_end_unseen && !program.signal;
  return {{"argv", list_of(program.arguments, [](const std::string& text) { return Json(text); })},
          {"python", text_or_null(program.python)},
          {"frameworks", words_of(program.frameworks)},
          {"exit", has_exited ? Json(program.exit_code) : Json(nullptr)},
          {"signal", program.signal ? Json(*program.signal) : Json(nullptr)},
          {"processes", program.processes},
          {"running", program.is_running}};
}

Json parts_json(const analyze::MemoryParts& parts) {
  return {{"resident_bytes", parts.resident},
          {"tracked_live_bytes", parts.tracked_live},
          {"other_live_bytes", parts.other_live},
          {"allocator_retention_bytes", parts.allocator_retention},
          {"code_and_stacks_bytes", parts.code_and_stacks},
          {"file_pages_bytes", parts.file_pages},
          {"own_bytes", parts.own},
          {"unknown_bytes", parts.unknown}};
}

Json memory_json(const Findings& findings) {
  return {{"peak_bytes", findings.peak_bytes},
          {"joint_peak_bytes", std::max(findings.peak_bytes, findings.joint_peak.bytes)},
          {"live_bytes", findings.live_bytes},
          {"resident_peak_bytes", findings.resident_peak_bytes},
          {"at_peak", Json(findings.at_peak)},
          {"unseen_bytes", findings.unseen_bytes},
          {"unseen_growth_bytes", findings.unseen_growth_bytes},
          {"parts", parts_json(findings.parts)}};
}

double finite(double number) { return std::isfinite(number) ? number : 0.0; }

Json cost_json(const analyze::OwnCost& cost) {
  return {{"time_share", finite(cost.time_share())},
          {"bytes", cost.bytes},
          {"processor_seconds",
           {{"hooks", finite(cost.hooks)},
            {"adapters", finite(cost.adapters)},
            {"snapshots", finite(cost.snapshots)},
            {"supervisor", finite(cost.supervisor)},
            {"analysis", finite(cost.analysis)},
            {"program", finite(cost.program)}}}};
}

}  // namespace

std::string findings_json(const Findings& findings) {
  const Json document = {{"schema", "tenure-findings/2"},
                         {"verdict", code(findings.verdict)},
                         {"reason", text_or_null(rendered(findings.reason))},
                         {"ending", text_or_null(rendered(findings.ending))},
                         {"program", program_json(findings.program)},
                         {"memory", memory_json(findings)},
                         {"losses", words_of(findings.losses)},
                         {"cost", cost_json(findings.cost)},
                         {"steps", findings.steps},
                         {"per", text_or_null(rendered(findings.per))},
                         {"findings", list_of(findings.findings, finding_json)},
                         {"considered", list_of(findings.considered, considered_json)},
                         {"balance", list_of(findings.balance, balance_json)},
                         {"processes", list_of(findings.processes, process_json)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tenure::report
