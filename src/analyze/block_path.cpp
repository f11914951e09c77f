#include "analyze/block_path.h"

#include <fmt/core.h>

#include <charconv>

#include "analyze/holder_path.h"
#include "analyze/holder_words.h"
#include "analyze/retention.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;

// `root`: where the way begins; the step may have gone on to its dictionary.
std::string name_of(const Step& step, const HeapGraph& heap, uint32_t root) {
  switch (step.kind) {
    case StepKind::root:
      if (heap.kind(root) == NodeKind::module_root) return "module " + step.name;
      return heap.kind(root) == NodeKind::frame_root ? "frame " + step.name : step.name;
    case StepKind::global:
      return fmt::format("global `{}`", step.name);
    case StepKind::class_attribute:
      return fmt::format("class attribute `{}` of `{}`", step.name, step.owner);
    case StepKind::attribute:
      return fmt::format("attribute `{}`", step.name);
    case StepKind::local:
      return fmt::format("local `{}` of {}", step.name, step.owner);
    case StepKind::closure:
      return step.name.empty() ? fmt::format("closure of `{}`", step.owner)
                               : fmt::format("`{}` in the closure of `{}`", step.name, step.owner);
    case StepKind::default_value:
      return fmt::format("default argument of {}()", step.owner);
    case StepKind::traceback:
      return step.owner.empty() ? "traceback" : fmt::format("traceback of {}", step.owner);
    case StepKind::item:
    case StepKind::part:
      break;
  }
  return step.name.empty() ? "an unnamed part" : step.name;
}

std::optional<uint32_t> number(std::string_view text) {
  uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string text_of(BlockId id) { return fmt::format("b{}.{}", id.snapshot, id.buffer); }

std::optional<BlockId> parse_block_id(std::string_view text) {
  size_t dot = text.find('.');
  if (!text.starts_with('b') || dot == std::string_view::npos) return std::nullopt;
  auto snapshot = number(text.substr(1, dot - 1)), buffer = number(text.substr(dot + 1));
  if (!snapshot || !buffer || *snapshot == 0) return std::nullopt;
  return BlockId{*snapshot, *buffer};
}

BlockPath path_to_block(const HeapGraph& heap, uint32_t buffer, const std::string& main_file) {
  const ledger::SnapshotBuffer& b = heap.snapshot().buffers()[buffer];
  BlockPath path;
  path.bytes = b.bytes;
  if (!heap.is_reached(b.node)) return path;
  std::vector<Retention> held = holders_of(heap, {&buffer, 1}, 0);
  if (!held.empty()) path.holder = say_holder(heap, held.front(), main_file).text;
  const std::vector<uint32_t> way = heap.way_to(b.node);
  for (const Step& step : steps_along(heap, way)) {
    if (step.node == b.node && step.kind == StepKind::part) continue;
    PathStep shown{name_of(step, heap, way.size() > 1 ? way[1] : 0), "", 0};
    uint32_t thing = heap.owner_of(step.node);  // not its dictionary
    if (step.kind != StepKind::root) {
      shown.type = heap.type(thing);
      shown.length = heap.snapshot().nodes()[thing].length;
    }
    // Of a long container only some references have a label.
    bool is_item = !path.steps.empty() && path.steps.back().length > 0;
    if (step.kind == StepKind::part && step.name.empty() && is_item) shown.name = "one of them";
    path.steps.push_back(std::move(shown));
  }
  return path;
}

std::optional<uint32_t> buffer_at(const ledger::Snapshot& snapshot, uint64_t address) {
  auto buffers = snapshot.buffers();
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].address <= address && address - buffers[i].address < buffers[i].bytes) return i;
  }
  return std::nullopt;
}

}  // namespace tenure::analyze
