#include "analyze/lifetime.h"

#include <fmt/core.h>

#include <algorithm>

#include "analyze/describe.h"
#include "analyze/freed_block.h"

namespace tenure::analyze {
namespace {

Severity severity_of(std::string_view word) {
  if (word == "error") return Severity::error;
  return word == "warning" ? Severity::warning : Severity::note;
}

// Told as a warning when a library raised it, since that may catch it again; then nobody did.
bool is_what_it_died_of(Frames& frames, const ledger::Story& story) {
  const ledger::Reader& ledger = frames.ledger();
  if (ledger.string(story.severity) != "warning") return false;
  uint32_t places = std::min(story.place_count, ledger::kPlaces);
  for (const ledger::Event& event : ledger.events()) {
    if (event.kind != static_cast<uint32_t>(ledger::EventKind::uncaught_error)) continue;
    if (event.what != story.error_type || event.text != story.error_message) continue;
    const ReadableFrame* died = frames.user_frame(event.stack);
    for (uint32_t i = 0; i < places; ++i) {
      if (ledger.string(story.places[i].role) == "used" &&
          is_same_line(died, frames.user_frame(story.places[i].stack)))
        return true;
    }
  }
  return false;
}

Finding describe(Frames& frames, const ledger::Story& story) {
  const ledger::Reader& ledger = frames.ledger();
  auto text = [&](StringId id) { return std::string(ledger.string(id)); };
  Finding f;
  f.kind = text(story.kind);
  f.severity = is_what_it_died_of(frames, story) ? Severity::error
                                                 : severity_of(ledger.string(story.severity));
  f.title = text(story.title);
  f.why = text(story.why);
  f.fix = text(story.fix);
  f.confidence = f.severity == Severity::error ? 0.95 : 0.6;
  f.count = story.count;
  for (uint32_t i = 0; i < std::min(story.place_count, ledger::kPlaces); ++i) {
    const ReadableFrame* frame = frames.user_frame(story.places[i].stack);
    if (frame) f.where.push_back(place_of(*frame, text(story.places[i].role)));
  }
  if (is_of_freed_block(ledger, story)) {
    tell_places_apart(frames, story, f);
    name_owner(f);
  }
  if (!text(story.holder).empty()) f.holder = Holder{text(story.holder), {}};
  if (!text(story.error_type).empty())
    f.error = ErrorText{text(story.error_type), text(story.error_message)};
  return f;
}

bool is_waiting_scope(const ledger::Reader& ledger, const ledger::Scope& scope) {
  return ledger.string(scope.kind) == "wait" && ledger.string(scope.state).rfind("waiting", 0) == 0;
}

Finding describe_wait(Frames& frames, const ledger::Scope& scope) {
  const ledger::Reader& ledger = frames.ledger();
  Finding f;
  f.kind = "queue-closed";
  f.severity = Severity::warning;
  f.title = "a run waits for an element of a queue";
  f.why = fmt::format("it is {}", ledger.string(scope.state));
  f.fix =
      "run the op that fills the queue before this line or in another thread, or close the queue "
      "when nothing more will come";
  f.confidence = 0.6;
  f.count = 1;
  f.holder = Holder{fmt::format("queue {}", ledger.string(scope.name)), {}};
  if (const ReadableFrame* frame = frames.user_frame(scope.born))
    f.where.push_back(place_of(*frame, "used"));
  if (const ReadableFrame* frame = scope.ended ? frames.user_frame(scope.ended) : nullptr)
    f.where.push_back(place_of(*frame, "created"));
  return f;
}

}  // namespace

bool is_same_line(const ReadableFrame* a, const ReadableFrame* b) {
  return a && b && a->file == b->file && a->line == b->line;
}

bool is_waiting(const ledger::Reader& ledger) {
  auto scopes = ledger.scopes();
  return std::any_of(scopes.begin(), scopes.end(),
                     [&](const ledger::Scope& scope) { return is_waiting_scope(ledger, scope); });
}

std::vector<Finding> describe_waits(Frames& frames) {
  std::vector<Finding> findings;
  for (const ledger::Scope& scope : frames.ledger().scopes()) {
    if (is_waiting_scope(frames.ledger(), scope)) findings.push_back(describe_wait(frames, scope));
  }
  return findings;
}

std::vector<Finding> describe_stories(Frames& frames) {
  std::vector<Finding> findings;
  for (const ledger::Story& story : frames.ledger().stories())
    findings.push_back(describe(frames, story));
  return findings;
}

}  // namespace tenure::analyze
