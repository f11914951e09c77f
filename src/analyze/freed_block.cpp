#include "analyze/freed_block.h"

#include <fmt/core.h>

#include <algorithm>

#include "analyze/describe.h"
#include "analyze/lifetime.h"
#include "analyze/source_line.h"

namespace tenure::analyze {
namespace {

StackId stack_as(const ledger::Reader& ledger, const ledger::Story& story, std::string_view role) {
  for (uint32_t i = 0; i < std::min(story.place_count, ledger::kPlaces); ++i) {
    if (ledger.string(story.places[i].role) == role) return story.places[i].stack;
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

void replace(Finding& finding, const ReadableFrame& frame, const std::string& role) {
  for (Place& place : finding.where) {
    if (place.role == role) place = place_of(frame, role);
  }
}

}  // namespace

bool is_of_freed_block(const ledger::Reader& ledger, const ledger::Story& story) {
  std::string_view kind = ledger.string(story.kind);
  return kind == "use-after-free" || kind == "double-free";
}

void tell_places_apart(Frames& frames, const ledger::Story& story, Finding& finding) {
  const ledger::Reader& ledger = frames.ledger();
  std::vector<ReadableFrame> ended = users_lines(frames, stack_as(ledger, story, "ended"));
  std::vector<ReadableFrame> used = users_lines(frames, stack_as(ledger, story, "used"));
  size_t at = 0;
  while (at < ended.size() && at < used.size() && is_same_line(&ended[at], &used[at])) ++at;
  if (at == 0 || at == ended.size() || at == used.size()) return;
  replace(finding, ended[at], "ended");
  replace(finding, used[at], "used");
}

void name_owner(Finding& finding) {
  auto made = std::find_if(finding.where.begin(), finding.where.end(),
                           [](const Place& place) { return place.role == "created"; });
  if (made == finding.where.end() || finding.kind != "use-after-free") return;
  std::string name = assigned_variable(made->source);
  if (name.empty() || !made->file.ends_with(".py")) return;
  finding.fix = fmt::format(
      "keep `{}` of line {} alive as long as its address is used: store it beside the address, or "
      "copy what is needed before it goes",
      name, made->line);
}

}  // namespace tenure::analyze
