#include "analyze/lifetime.h"

#include <algorithm>

#include "analyze/describe.h"

namespace tenure::analyze {
namespace {

Severity severity_of(std::string_view word) {
  if (word == "error") return Severity::error;
  return word == "warning" ? Severity::warning : Severity::note;
}

Finding describe(Frames& frames, const ledger::Story& story) {
  const ledger::Reader& ledger = frames.ledger();
  auto text = [&](StringId id) { return std::string(ledger.string(id)); };
  Finding f;
  f.kind = text(story.kind);
  f.severity = severity_of(ledger.string(story.severity));
  f.title = text(story.title);
  f.why = text(story.why);
  f.fix = text(story.fix);
  f.confidence = f.severity == Severity::error ? 0.95 : 0.6;
  f.count = story.count;
  for (uint32_t i = 0; i < std::min(story.place_count, ledger::kPlaces); ++i) {
    const ReadableFrame* frame = frames.user_frame(story.places[i].stack);
    if (frame) f.where.push_back(place_of(*frame, text(story.places[i].role)));
  }
  if (story.holder) f.holder = Holder{text(story.holder), {}};
  if (story.error_type) f.error = ErrorText{text(story.error_type), text(story.error_message)};
  return f;
}

}  // namespace

std::vector<Finding> describe_stories(Frames& frames) {
  std::vector<Finding> findings;
  for (const ledger::Story& story : frames.ledger().stories())
    findings.push_back(describe(frames, story));
  return findings;
}

}  // namespace tenure::analyze
