#include "report/formats/openmetrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "report/place.h"
#include "report/text.h"
#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : valid_utf8(text)) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result;
}

std::string labels_text(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escaped(value));
  return text.empty() ? "" : "{" + text + "}";
}

std::string value_text(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "NaN";
}
std::string value_text(uint64_t value) { return fmt::format("{}", value); }

class Text {
 public:
  // All samples of a family stand together, as the format demands.
  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    suffix_ = std::string_view(type) == "counter" ? "_total" : "";
    text_ += fmt::format("# TYPE {0} {1}\n# HELP {0} {2}\n", name, type, help);
  }
  template <class Value>
  void sample(const Labels& labels, Value value) {
    text_ += fmt::format("{}{}{} {}\n", name_, suffix_, labels_text(labels), value_text(value));
  }
  std::string take() { return std::move(text_) + "# EOF\n"; }

 private:
  std::string name_, text_;
  const char* suffix_ = "";
};

Labels labels_of(const LiveProcess& process, const std::string& program) {
  Labels labels = {{"program", program}, {"pid", std::to_string(process.pid)}};
  if (process.rank != record::kNoRank) labels.emplace_back("rank", std::to_string(process.rank));
  return labels;
}

void add_processes(const LiveState& state, const std::string& program, Text& text) {
  text.family("tenure_live_bytes", "gauge", "Bytes of tracked blocks that are live.");
  for (const LiveProcess& p : state.processes) text.sample(labels_of(p, program), p.live_bytes);
  text.family("tenure_resident_bytes", "gauge", "Resident memory, as the kernel tells it.");
  for (const LiveProcess& p : state.processes) text.sample(labels_of(p, program), p.resident_bytes);
  text.family("tenure_own_bytes", "gauge", "Memory of Tenure itself inside of the process.");
  for (const LiveProcess& p : state.processes) text.sample(labels_of(p, program), p.own_bytes);
}

void add_findings(const LiveState& state, const std::string& program, Text& text) {
  text.family("tenure_findings", "gauge", "Findings so far, by severity.");
  for (const Severity severity :
       {Severity::error, Severity::leak, Severity::warning, Severity::note, Severity::accepted}) {
    const auto count =
        std::count_if(state.findings.findings.begin(), state.findings.findings.end(),
                      [&](const analyze::Finding& f) { return f.severity == severity; });
    text.sample({{"program", program}, {"severity", code(severity)}}, static_cast<uint64_t>(count));
  }
}

std::vector<const LiveLine*> growing_lines(const LiveState& state) {
  std::vector<const LiveLine*> growing;
  for (const LiveLine& line : state.lines) {
    if (line.line.bytes_per_step > 0) growing.push_back(&line);
  }
  std::stable_sort(growing.begin(), growing.end(),
                   [](const auto* a, const auto* b) { return a->live_bytes > b->live_bytes; });
  if (growing.size() > kMostMetricLines) growing.resize(kMostMetricLines);
  return growing;
}

void add_lines(const LiveState& state, const std::string& program, Text& text) {
  const std::vector<const LiveLine*> growing = growing_lines(state);
  const auto labels = [&](const LiveLine& line) -> Labels {
    return {{"program", program},
            {"place", line_text(line.line.place, state.directory)},
            {"function", line.line.place.function},
            {"came_to", code(line.line.what)}};
  };
  text.family("tenure_growth_bytes_per_step", "gauge", "What each step adds at a line that grows.");
  for (const LiveLine* line : growing) text.sample(labels(*line), line->line.bytes_per_step);
  text.family("tenure_grown_bytes", "gauge", "What is live of the blocks of a line that grows.");
  for (const LiveLine* line : growing) text.sample(labels(*line), line->live_bytes);
}

}  // namespace

std::string openmetrics(const LiveState& state, double own_seconds) {
  const std::string program = program_name(state.findings.program);
  const Labels run = {{"program", program}};
  Text text;
  text.family("tenure_running", "gauge", "1 while the program runs, 0 when it has ended.");
  text.sample(run, uint64_t{state.findings.program.is_running ? 1u : 0u});
  text.family("tenure_run_seconds", "gauge", "How long the run had taken at the last look.");
  text.sample(run, state.seconds);
  text.family("tenure_steps", "gauge", "Steps of the main loop or series so far.");
  text.sample(run, state.findings.steps);
  add_processes(state, program, text);
  add_findings(state, program, text);
  add_lines(state, program, text);
  text.family("tenure_own_processor_seconds", "counter",
              "Processor time of Tenure: hooks, adapters, snapshots, supervisor, these metrics.");
  text.sample(run, state.cost_so_far.seconds() + own_seconds);
  return text.take();
}

}  // namespace tenure::report
