#include "report/page_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/finding_rows.h"
#include "report/json.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"
#include "report/verdict_sentence.h"
#include "report/why.h"

namespace tenure::report {
namespace {

using analyze::PageProcess;
using Json = nlohmann::ordered_json;

constexpr size_t kLongestName = 160;  // bytes; a name of C++ templates may be a page of its own

// Texts of a page are few and come often: each is written once, and told by its number.
class Strings {
 public:
  size_t operator()(const std::string& text) {
    auto [known, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(printable(cut_bytes(valid_utf8(text), kLongestName)));
    return known->second;
  }
  const Json& all() const { return texts_; }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  Json texts_ = Json::array();
};

double rounded(double value) { return std::isfinite(value) ? std::round(value * 1e5) / 1e5 : 0; }

uint64_t whole(double value) { return value > 0 ? static_cast<uint64_t>(std::llround(value)) : 0; }

const char* word_of(analyze::PageMarkKind kind) {
  using analyze::PageMarkKind;
  switch (kind) {
    case PageMarkKind::peak:
      return "peak";
    case PageMarkKind::snapshot:
      return "snapshot";
    case PageMarkKind::failed_allocation:
      return "failed allocation";
    case PageMarkKind::uncaught_error:
      return "uncaught error";
    case PageMarkKind::interrupted:
      return "interrupted";
    case PageMarkKind::teardown:
      break;
  }
  return "end of the program's own work";
}

// A column each: they compress better than a row each.
Json moments_json(const PageProcess& process) {
  Json tick = Json::array(), position = tick, seconds = tick, step = tick, live = tick,
       anonymous = tick;
  for (const analyze::PageMoment& moment : process.moments) {
    tick.push_back(moment.tick);
    position.push_back(rounded(moment.position));
    seconds.push_back(rounded(moment.seconds));
    step.push_back(rounded(moment.step));
    live.push_back(moment.live);
    anonymous.push_back(moment.anonymous);
  }
  return {{"tick", tick}, {"position", position}, {"seconds", seconds},
          {"step", step}, {"live", live},         {"anonymous", anonymous}};
}

Json marks_json(const PageProcess& process) {
  Json marks = Json::array();
  for (const analyze::PageMark& mark : process.marks)
    marks.push_back({{"what", word_of(mark.kind)}, {"tick", mark.tick}, {"bytes", mark.bytes}});
  return marks;
}

Json bands_json(const PageProcess& process) {
  Json bands = Json::array();
  for (const analyze::PageBand& band : process.bands) {
    Json bytes = Json::array();
    for (double value : band.bytes) bytes.push_back(whole(value));
    bands.push_back({{"line", band.line}, {"bytes", std::move(bytes)}});
  }
  return bands;
}

Json births_json(const analyze::PageLine& line) {
  Json births = Json::array();
  for (const analyze::PageBirths& b : line.births) {
    births.push_back(Json::array({b.from, b.to, whole(b.born), whole(b.alive), whole(b.count)}));
  }
  return births;
}

Json line_json(const analyze::PageLine& line, Strings& strings) {
  Json json = {{"file", strings(line.place.file)},
               {"line", line.place.line},
               {"function", strings(line.place.function)},
               {"source", strings(line.place.source)},
               {"kind", strings(line.role.empty() ? line.kind : line.role)},
               {"op", strings(rendered(line.op))},
               {"peak", {line.peak_bytes, line.peak_count}},
               {"live", {line.live_bytes, line.live_count}},
               {"total", {line.total_bytes, line.total_count}},
               {"came_to", line.came_to ? Json(code(*line.came_to)) : Json(nullptr)},
               {"word", line.came_to ? Json(word_of_class(*line.came_to)) : Json(nullptr)}};
  if (line.births.empty()) return json;
  json["births"] = births_json(line);
  json["judged"] = whole(line.judged_bytes);
  return json;
}

Json lines_json(const PageProcess& process, const PageOptions& options, Strings& strings) {
  Json lines = Json::array();
  for (const analyze::PageLine& line : process.lines) {
    if (lines.size() == options.most_rows) break;
    lines.push_back(line_json(line, strings));
  }
  return lines;
}

Json calls_json(const PageProcess& process, const PageOptions& options, Strings& strings) {
  Json parent = Json::array(), name = parent, file = parent, line = parent, users = parent,
       peak = parent, live = parent, total = parent;
  if (process.calls.size() / 8 <= options.most_rows) {
    for (const analyze::PageCall& call : process.calls) {
      parent.push_back(call.parent);
      name.push_back(strings(call.name));
      file.push_back(strings(call.file));
      line.push_back(call.line);
      users.push_back(call.is_users ? 1 : 0);
      peak.push_back(call.peak_bytes);
      live.push_back(call.live_bytes);
      total.push_back(call.total_bytes);
    }
  }
  return {{"parent", parent}, {"name", name}, {"file", file}, {"line", line},
          {"users", users},   {"peak", peak}, {"live", live}, {"total", total}};
}

Json path_json(const std::vector<analyze::PathStep>& path) {
  Json steps = Json::array();
  for (const analyze::PathStep& step : path)
    steps.push_back(
        {{"name", valid_utf8(rendered(step.name))}, {"type", step.type}, {"length", step.length}});
  return steps;
}

Json blocks_json(const PageProcess& process, const PageOptions& options, Strings& strings) {
  Json blocks = Json::array();
  for (const analyze::PageBlock& block : process.blocks) {
    if (blocks.size() == options.most_rows) break;
    blocks.push_back({{"bytes", block.bytes},
                      {"file", strings(block.place.file)},
                      {"line", block.place.line},
                      {"function", strings(block.place.function)},
                      {"op", strings(block.op)},
                      {"block", block.block},
                      {"born_step", rounded(block.born_step)},
                      {"age_steps", rounded(block.age_steps)},
                      {"holder", strings(rendered(block.holder))},
                      {"path", path_json(block.path)}});
  }
  return blocks;
}

Json process_json(const PageProcess& process, const PageOptions& options, Strings& strings) {
  return {{"pid", process.pid},
          {"parent_pid", process.parent_pid},
          {"is_main", process.is_main},
          {"command", strings(process.command)},
          {"peak_bytes", process.peak_bytes},
          {"live_bytes", process.live_bytes},
          {"resident_peak_bytes", process.resident_peak_bytes},
          {"began", rounded(process.began_seconds)},
          {"ended", rounded(process.ended_seconds)},
          {"steps", process.steps},
          {"per", valid_utf8(rendered(process.per))},
          {"moments", moments_json(process)},
          {"marks", marks_json(process)},
          {"bands", bands_json(process)},
          {"lines", lines_json(process, options, strings)},
          {"other_lines", line_json(process.other_lines, strings)},
          {"lines_left_out", process.left_out},
          {"calls", calls_json(process, options, strings)},
          {"blocks", blocks_json(process, options, strings)}};
}

Json scope_json(const analyze::ScopeRow& row, Strings& strings) {
  const auto place = [&](const analyze::Place& p) -> Json {
    return {{"file", strings(p.file)}, {"line", p.line}, {"function", strings(p.function)}};
  };
  return {{"type", code(row.type)},   {"name", strings(row.name)},
          {"state", code(row.state)}, {"state_text", strings(rendered(row.state_text))},
          {"count", row.count},       {"items", row.items},
          {"bytes", row.bytes},       {"created", place(row.created)},
          {"ended", place(row.ended)}};
}

// The words of the terminal, parallel to the lists of findings.json.
Json words_json(const analyze::Findings& findings, const PageOptions& options) {
  Json headlines = Json::array(), considered = Json::array();
  for (const analyze::Finding& finding : findings.findings)
    headlines.push_back(valid_utf8(headline(finding, findings.per)));
  for (const analyze::ConsideredLine& line : findings.considered) {
    if (considered.size() == options.most_rows) break;
    considered.push_back({{"word", word_of_class(line.what)},
                          {"rule", sentence_of(line.rule)},
                          {"figures", valid_utf8(figures_of(line))},
                          {"source", valid_utf8(line.place.source)}});
  }
  return {{"verdict", valid_utf8(verdict_sentence(findings, options.directory))},
          {"advice",
           findings.verdict == Verdict::unknown ? valid_utf8(advice_when_unknown(findings)) : ""},
          {"name", valid_utf8(program_name(findings.program))},
          {"headlines", std::move(headlines)},
          {"considered", std::move(considered)}};
}

Json findings_document(const analyze::Findings& findings, const PageOptions& options) {
  Json document = Json::parse(findings_json(findings));
  for (const char* list : {"findings", "considered"}) {
    Json& rows = document[list];
    if (rows.size() > options.most_rows)
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(options.most_rows), rows.end());
  }
  return document;
}

}  // namespace

std::string page_json(const analyze::Findings& findings, const analyze::Page& page,
                      const PageOptions& options) {
  Strings strings;
  Json processes = Json::array(), scopes = Json::array();
  for (const PageProcess& process : page.processes)
    processes.push_back(process_json(process, options, strings));
  for (const analyze::ScopeRow& row : page.scopes) {
    if (scopes.size() < options.most_rows) scopes.push_back(scope_json(row, strings));
  }
  const Json document = {{"schema", "tenure-page/1"},
                         {"words", words_json(findings, options)},
                         {"run",
                          {{"directory", valid_utf8(options.directory)},
                           {"started_ms", options.started_ns / 1000000},
                           {"seconds", rounded(options.seconds)},
                           {"tenure", options.tenure},
                           {"machine", valid_utf8(options.machine)}}},
                         {"findings", findings_document(findings, options)},
                         {"processes", std::move(processes)},
                         {"processes_left_out", page.processes_left_out},
                         {"shown_first", page.shown_first},
                         {"scopes", std::move(scopes)},
                         {"strings", strings.all()}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tenure::report
