#include "analyze/causes.h"

#include <algorithm>

namespace tenure::analyze {
namespace {

constexpr uint64_t kLeastRecurrences = 8;

// Occurs again and again, also in the later half of the run.
bool recurs(const ledger::Reader& ledger, const ledger::Cause& cause) {
  const ledger::Series& series = ledger.series_at(cause.series);
  return series.count.load() >= kLeastRecurrences &&
         series.last_tick > ledger.header().tick.load() / 2;
}

bool is_at(const Finding& growth, const ReadableFrame& line) {
  return std::any_of(growth.where.begin(), growth.where.end(), [&](const Place& place) {
    return place.file == line.file && place.line == line.line;
  });
}

}  // namespace

void name_causes(Frames& frames, std::vector<Finding>& growths) {
  const ledger::Reader& ledger = frames.ledger();
  for (const ledger::Cause& cause : ledger.causes()) {
    const ReadableFrame* line = frames.user_frame(cause.stack);
    if (!line || !recurs(ledger, cause)) continue;
    for (Finding& growth : growths) {
      if (!is_at(growth, *line)) continue;
      growth.kind = ledger.string(cause.kind);
      growth.why = ledger.string(cause.why);
      if (growth.severity == Severity::leak) growth.fix = ledger.string(cause.fix);
      if (cause.holder) growth.holder = Holder{std::string(ledger.string(cause.holder)), {}};
    }
  }
}

}  // namespace tenure::analyze
