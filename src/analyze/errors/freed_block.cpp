#include "analyze/errors/freed_block.h"

#include <algorithm>

namespace tenure::analyze {
namespace {

StackId stack_as(const ledger::Reader& ledger, const ledger::LifetimeError& told, PlaceRole role) {
  for (uint32_t i = 0; i < std::min(told.place_count, ledger::kPlaces); ++i) {
    if (place_role_from(ledger.string(told.places[i].role)) == role) return told.places[i].stack;
  }
  return {};
}

// Innermost first. Copies: what is known of one stack may move when another is looked at.
std::vector<ReadableFrame> users_lines(Frames& frames, StackId stack) {
  std::vector<ReadableFrame> lines;
  for (const ReadableFrame& frame : frames.of(stack)) {
    if (frame.is_user && frame.line > 0) lines.push_back(frame);
  }
  return lines;
}

void replace(LifetimeError& error, const ReadableFrame& frame, PlaceRole role) {
  for (Place& place : error.where) {
    if (place.role == role) place = place_of(frame, role);
  }
}

}  // namespace

bool is_of_freed_block(const ledger::Reader& ledger, const ledger::LifetimeError& told) {
  std::optional<Kind> kind = kind_from(ledger.string(told.kind));
  return kind == Kind::use_after_free || kind == Kind::double_free;
}

void tell_places_apart(Frames& frames, const ledger::LifetimeError& told, LifetimeError& error) {
  const ledger::Reader& ledger = frames.ledger();
  std::vector<ReadableFrame> ended = users_lines(frames, stack_as(ledger, told, PlaceRole::ended));
  std::vector<ReadableFrame> used = users_lines(frames, stack_as(ledger, told, PlaceRole::used));
  size_t at = 0;
  while (at < ended.size() && at < used.size() && is_same_line(&ended[at], &used[at])) ++at;
  if (at == 0 || at == ended.size() || at == used.size()) return;
  replace(error, ended[at], PlaceRole::ended);
  replace(error, used[at], PlaceRole::used);
}

}  // namespace tenure::analyze
