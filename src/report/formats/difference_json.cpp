#include "report/formats/difference_json.h"

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/json_parts.h"
#include "report/sentences.h"

namespace tenure::report {
namespace {

using Json = nlohmann::ordered_json;

Json run_json(const ComparedRun& run) {
  const analyze::Findings& findings = run.findings;
  Json balance = Json::array();
  for (const analyze::LineBalance& process : findings.balance)
    balance.push_back(balance_json(process));
  return {{"record", run.record},
          {"verdict", code(findings.verdict)},
          {"peak_bytes", findings.peak_bytes},
          {"live_bytes", findings.live_bytes},
          {"steps", findings.steps},
          {"per", findings.per.empty() ? Json(nullptr) : Json(rendered(findings.per))},
          {"balance", std::move(balance)}};
}

Json finding_or_null(const std::optional<size_t>& index, const ComparedRun& run) {
  return index ? finding_json(run.findings.findings[*index]) : Json(nullptr);
}

Json memory_json(const std::optional<analyze::LineMemory>& line) {
  if (!line) return nullptr;
  return {{"file", line->place.file},
          {"line", line->place.line},
          {"function", line->place.function},
          {"source", line->place.source},
          {"came_to", code(line->what)},
          {"holder", line->holder ? Json(holder_text(*line->holder)) : Json(nullptr)},
          {"most_bytes", line->bytes}};
}

}  // namespace

std::string difference_json(const ComparedRun& before, const ComparedRun& after,
                            const analyze::Difference& difference) {
  Json document = {{"schema", "tenure-diff/1"},
                   {"before", run_json(before)},
                   {"after", run_json(after)},
                   {"findings", Json::array()},
                   {"lines", Json::array()}};
  for (const analyze::FindingChange& change : difference.findings)
    document["findings"].push_back({{"change", name_of(change.change)},
                                    {"before", finding_or_null(change.before, before)},
                                    {"after", finding_or_null(change.after, after)}});
  for (const analyze::LineChange& change : difference.lines)
    document["lines"].push_back(
        {{"before", memory_json(change.before)}, {"after", memory_json(change.after)}});
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenure::report
