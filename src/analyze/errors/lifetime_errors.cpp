#include "analyze/errors/lifetime_errors.h"

#include <algorithm>

#include "analyze/errors/freed_block.h"
#include "base/sentence_reader.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

// Told as a warning when a library raised it, since that may catch it again; then nobody did.
bool is_what_it_died_of(Frames& frames, const ledger::LifetimeError& told) {
  const ledger::Reader& ledger = frames.ledger();
  if (severity_from(ledger.string(told.severity)) != Severity::warning) return false;
  uint32_t places = std::min(told.place_count, ledger::kPlaces);
  for (const ledger::Event& event : ledger.events()) {
    if (event.kind != static_cast<uint32_t>(ledger::EventKind::uncaught_error)) continue;
    if (event.what != told.error_type || event.text != told.error_message) continue;
    const ReadableFrame* died = frames.user_frame(event.stack);
    for (uint32_t i = 0; i < places; ++i) {
      if (place_role_from(ledger.string(told.places[i].role)) == PlaceRole::used &&
          is_same_line(died, frames.user_frame(told.places[i].stack)))
        return true;
    }
  }
  return false;
}

LifetimeError describe(Frames& frames, const ledger::LifetimeError& told, Kind kind) {
  const ledger::Reader& ledger = frames.ledger();
  auto text = [&](StringId id) { return std::string(ledger.string(id)); };
  LifetimeError f;
  f.kind = kind;
  f.told_as = is_what_it_died_of(frames, told)
                  ? Severity::error
                  : severity_from(ledger.string(told.severity)).value_or(Severity::note);
  f.title = text(told.title);
  f.why = text(told.why);
  f.fix = text(told.fix);
  f.count = told.count;
  for (uint32_t i = 0; i < std::min(told.place_count, ledger::kPlaces); ++i) {
    const ReadableFrame* frame = frames.user_frame(told.places[i].stack);
    std::optional<PlaceRole> role = place_role_from(ledger.string(told.places[i].role));
    if (frame && role) f.where.push_back(place_of(*frame, *role));
  }
  if (is_of_freed_block(ledger, told)) tell_places_apart(frames, told, f);
  f.holder = text(told.holder);
  if (!text(told.error_type).empty())
    f.error = ErrorText{text(told.error_type), text(told.error_message)};
  return f;
}

bool is_waiting_scope(const ledger::Reader& ledger, const ledger::Scope& scope) {
  return scope_type_from(ledger.string(scope.kind)) == ScopeType::wait &&
         scope_state_from(code_in(ledger.string(scope.state))) == ScopeState::waiting;
}

LifetimeError describe_wait(Frames& frames, const ledger::Scope& scope) {
  const ledger::Reader& ledger = frames.ledger();
  LifetimeError f;
  f.kind = Kind::queue_closed;
  f.told_as = Severity::warning;
  f.title = sentence("wait.title");
  f.why = sentence("wait.why", {{"state", ledger.string(scope.state)}});
  f.fix = sentence("wait.fix");
  f.count = 1;
  f.holder = sentence("wait.holder", {{"queue", ledger.string(scope.name)}});
  if (const ReadableFrame* frame = frames.user_frame(scope.born))
    f.where.push_back(place_of(*frame, PlaceRole::used));
  if (const ReadableFrame* frame = scope.ended ? frames.user_frame(scope.ended) : nullptr)
    f.where.push_back(place_of(*frame, PlaceRole::created));
  return f;
}

}  // namespace

bool is_waiting(const ledger::Reader& ledger) {
  auto scopes = ledger.scopes();
  return std::any_of(scopes.begin(), scopes.end(),
                     [&](const ledger::Scope& scope) { return is_waiting_scope(ledger, scope); });
}

std::vector<LifetimeError> waits_for_queues(Frames& frames) {
  std::vector<LifetimeError> waits;
  for (const ledger::Scope& scope : frames.ledger().scopes()) {
    if (is_waiting_scope(frames.ledger(), scope)) waits.push_back(describe_wait(frames, scope));
  }
  return waits;
}

std::vector<LifetimeError> lifetime_errors(Frames& frames) {
  std::vector<LifetimeError> errors;
  for (const ledger::LifetimeError& told : frames.ledger().lifetime_errors()) {
    std::optional<Kind> kind = kind_from(frames.ledger().string(told.kind));
    if (kind) errors.push_back(describe(frames, told, *kind));
  }
  return errors;
}

}  // namespace tenure::analyze
