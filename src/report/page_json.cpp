#include "report/page_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "report/finding_rows.h"
#include "report/json.h"
#include "report/page_parts.h"
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

double rounded(double value) { return rounded_for_page(value); }

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

const char* word_of(analyze::MemoryCategory category) {
  using analyze::MemoryCategory;
  switch (category) {
    case MemoryCategory::parameter:
      return "parameters and buffers";
    case MemoryCategory::optimizer_state:
      return "optimizer state";
    case MemoryCategory::graph:
      return "graphs and constants";
    case MemoryCategory::native:
      return "native";
    case MemoryCategory::python:
      return "arrays and objects of Python";
    case MemoryCategory::tensor:
      return "other tensors";
    case MemoryCategory::gradient:
      return "gradients";
    case MemoryCategory::activation:
      break;
  }
  return "activations";
}

Json categories_json(const PageProcess& process) {
  Json categories = Json::array();
  for (const analyze::PageCategory& category : process.categories) {
    Json bytes = Json::array();
    for (double value : category.bytes) bytes.push_back(whole(value));
    categories.push_back({{"what", word_of(category.what)}, {"bytes", std::move(bytes)}});
  }
  return categories;
}

Json births_json(const analyze::PageLine& line) {
  Json births = Json::array();
  for (const analyze::PageBirths& b : line.births) {
    births.push_back(Json::array({b.from, b.to, whole(b.born), whole(b.alive), whole(b.count)}));
  }
  return births;
}

Json pair_json(uint64_t bytes, uint64_t count) { return Json::array({bytes, count}); }

// A column each, as of the moments.
class LineColumns {
 public:
  void add(const analyze::PageLine& line, Strings& strings) {
    const auto put = [&](const char* column, Json value) {
      Json& values = columns_[column];
      values.push_back(std::move(value));
    };
    put("file", strings(line.place.file));
    put("line", line.place.line);
    put("function", strings(line.place.function));
    put("source", strings(line.place.source));
    put("kind", strings(line.role.empty() ? line.kind : line.role));
    put("op", strings(rendered(line.op)));
    put("peak", pair_json(line.peak_bytes, line.peak_count));
    put("live", pair_json(line.live_bytes, line.live_count));
    put("total", pair_json(line.total_bytes, line.total_count));
    put("came_to", line.came_to ? Json(code(*line.came_to)) : Json(nullptr));
    put("word", line.came_to ? Json(word_of_class(*line.came_to)) : Json(nullptr));
    if (line.births.empty()) return;  // the first lines have them
    put("births", births_json(line));
    put("judged", whole(line.judged_bytes));
  }
  Json take() { return std::move(columns_); }

 private:
  Json columns_ = Json::object();
};

Json lines_json(const PageProcess& process, const PageOptions& options, Strings& strings) {
  LineColumns columns;
  size_t added = 0;
  for (const analyze::PageLine& line : process.lines) {
    if (added++ == options.most_rows) break;
    columns.add(line, strings);
  }
  return columns.take();
}

// Functions and lines of calls: each is written once.
class CallPlaces {
 public:
  // `name` in place of the call's, which may be a text.
  size_t operator()(const analyze::PageCall& call, const std::string& name, Strings& strings) {
    const Key key{strings(name), strings(call.file), call.line, call.is_users};
    const auto [known, is_new] = numbers_.try_emplace(key, numbers_.size());
    if (!is_new) return known->second;
    name_.push_back(std::get<0>(key));
    file_.push_back(std::get<1>(key));
    line_.push_back(call.line);
    users_.push_back(call.is_users ? 1 : 0);
    return known->second;
  }
  Json take() {
    return {{"name", std::move(name_)},
            {"file", std::move(file_)},
            {"line", std::move(line_)},
            {"users", std::move(users_)}};
  }

 private:
  using Key = std::tuple<size_t, size_t, int, bool>;
  std::map<Key, size_t> numbers_;
  Json name_ = Json::array(), file_ = name_, line_ = name_, users_ = name_;
};

// What each call made itself, without the calls inside of it: most made nothing.
std::vector<uint64_t> own_bytes(const std::vector<analyze::PageCall>& calls,
                                uint64_t analyze::PageCall::* bytes) {
  std::vector<uint64_t> own;
  for (const analyze::PageCall& call : calls) own.push_back(call.*bytes);
  for (size_t i = 1; i < calls.size(); ++i) own[calls[i].parent] -= calls[i].*bytes;
  return own;
}

// `up`: how far before it the caller stands. `unknown`: of groups, what one without a name is.
Json tree_json(const std::vector<analyze::PageCall>& all, const char* unknown,
               const PageOptions& options, Strings& strings) {
  std::vector<analyze::PageCall> calls;
  if (all.size() / 8 <= options.most_rows) calls = all;
  CallPlaces places;
  Json up = Json::array(), place = up;
  for (size_t i = 0; i < calls.size(); ++i) {
    const bool is_group = unknown && i > 0 && calls[i].parent == 0;
    const std::string name = !is_group               ? calls[i].name
                             : calls[i].name.empty() ? unknown
                                                     : rendered(calls[i].name);
    up.push_back(i - calls[i].parent);
    place.push_back(places(calls[i], name, strings));
  }
  return {{"up", std::move(up)},
          {"place", std::move(place)},
          {"places", places.take()},
          {"peak", own_bytes(calls, &analyze::PageCall::peak_bytes)},
          {"live", own_bytes(calls, &analyze::PageCall::live_bytes)},
          {"total", own_bytes(calls, &analyze::PageCall::total_bytes)}};
}

Json path_json(const std::vector<analyze::PathStep>& path) {
  Json steps = Json::array();
  for (const analyze::PathStep& step : path)
    steps.push_back({{"name", valid_utf8(rendered(step.name))},
                     {"type", step.type},
                     {"length", step.length},
                     {"is_cut", step.is_cut}});
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
                      {"form", strings(block.form)},
                      {"block", block.block},
                      {"born", block.born},
                      {"born_step", rounded(block.born_step)},
                      {"age_steps", rounded(block.age_steps)},
                      {"holder", strings(rendered(block.holder))},
                      {"path", path_json(block.path)}});
  }
  return blocks;
}

Json process_json(const PageProcess& process, const PageOptions& options, Strings& strings) {
  LineColumns other;
  other.add(process.other_lines, strings);
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
          {"categories", categories_json(process)},
          {"lines", lines_json(process, options, strings)},
          {"other_lines", other.take()},
          {"lines_left_out", process.left_out},
          {"calls", tree_json(process.calls, nullptr, options, strings)},
          {"by_holder", tree_json(process.by_holder, "no holder is known", options, strings)},
          {"by_module", tree_json(process.by_module, "native code", options, strings)},
          {"by_op", tree_json(process.by_op, "no operation is known", options, strings)},
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

double rounded_for_page(double value) {
  return std::isfinite(value) ? std::round(value * 1e5) / 1e5 : 0;
}

// A column each: they compress better than a row each. web/src/data.ts puts rows together again.
nlohmann::ordered_json moments_json(const PageProcess& process) {
  Json tick = Json::array(), position = tick, seconds = tick, step = tick, live = tick,
       anonymous = tick;
  for (const analyze::PageMoment& moment : process.moments) {
    tick.push_back(moment.tick);
    position.push_back(rounded_for_page(moment.position));
    seconds.push_back(rounded_for_page(moment.seconds));
    step.push_back(rounded_for_page(moment.step));
    live.push_back(moment.live);
    anonymous.push_back(moment.anonymous);
  }
  return {{"tick", tick}, {"position", position}, {"seconds", seconds},
          {"step", step}, {"live", live},         {"anonymous", anonymous}};
}

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
