#include "report/difference_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/finding_rows.h"
#include "report/json_parts.h"
#include "report/page_parts.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"
#include "report/verdict_sentence.h"
#include "report/why.h"

namespace tenure::report {
namespace {

using Json = nlohmann::ordered_json;

// What is beyond them is summed up: nobody reads further, and the page stays small.
constexpr size_t kMostFindings = 100, kMostLines = 1000;

Json run_json(const ComparedRun& run, const analyze::Page& page) {
  const analyze::Findings& findings = run.findings;
  Json balance = nullptr, moments = nullptr;
  if (!findings.balance.empty()) balance = balance_json(findings.balance.front());
  if (page.shown_first < page.processes.size())
    moments = moments_json(page.processes[page.shown_first]);
  return {{"record", valid_utf8(run.record)},
          {"directory", valid_utf8(run.directory)},
          {"program", valid_utf8(program_name(findings.program))},
          {"verdict", code(findings.verdict)},
          {"sentence", valid_utf8(verdict_sentence(findings, run.directory))},
          {"peak_bytes", findings.peak_bytes},
          {"live_bytes", findings.live_bytes},
          {"steps", findings.steps},
          {"balance", std::move(balance)},
          {"moments", std::move(moments)}};
}

Json change_json(const analyze::FindingChange& change, const ComparedRun& before,
                 const ComparedRun& after, const analyze::Difference& difference) {
  const bool is_of_before =
      change.change == analyze::Change::gone || change.change == analyze::Change::unclear;
  const ComparedRun& run = is_of_before ? before : after;
  const analyze::Finding& finding =
      run.findings.findings[is_of_before ? *change.before : *change.after];
  analyze::Finding told = finding;
  if (is_of_before && told.bytes_per_step.value_or(0) > 0) told.bytes = 0;  // it holds nothing now
  const bool is_fixed = change.change == analyze::Change::gone;
  return {{"change", is_fixed ? "fixed" : name_of(change.change)},
          {"sentence", valid_utf8(change_sentence(before, after, difference, change))},
          {"headline", valid_utf8(headline(told, run.findings.per))},
          {"is_of_before", is_of_before},
          {"finding", finding_json(finding)}};
}

Json memory_json(const std::optional<analyze::LineMemory>& line) {
  if (!line) return nullptr;
  return {{"file", line->place.file},
          {"line", line->place.line},
          {"function", line->place.function},
          {"source", line->place.source},
          {"word", word_of_class(line->what)},
          {"holder", line->holder ? Json(valid_utf8(holder_text(*line->holder))) : Json(nullptr)},
          {"bytes", line->bytes}};
}

}  // namespace

std::string difference_page_json(const ComparedRun& before, const analyze::Page& page_before,
                                 const ComparedRun& after, const analyze::Page& page_after,
                                 const analyze::Difference& difference) {
  Json findings = Json::array(), lines = Json::array();
  for (const analyze::FindingChange& change : difference.findings) {
    if (findings.size() < kMostFindings)
      findings.push_back(change_json(change, before, after, difference));
  }
  for (const analyze::LineChange& change : difference.lines) {
    if (lines.size() < kMostLines)
      lines.push_back(
          {{"before", memory_json(change.before)}, {"after", memory_json(change.after)}});
  }
  const Json document = {
      {"schema", "tenure-diff-page/1"},
      {"sentence", valid_utf8(difference_sentence(before, after, difference))},
      {"before", run_json(before, page_before)},
      {"after", run_json(after, page_after)},
      {"findings", std::move(findings)},
      {"findings_left_out",
       difference.findings.size() - std::min(difference.findings.size(), kMostFindings)},
      {"lines", std::move(lines)},
      {"lines_left_out", difference.lines.size() - std::min(difference.lines.size(), kMostLines)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tenure::report
