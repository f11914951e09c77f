#include "analyze/heap/block_path.h"

#include <fmt/core.h>

#include <charconv>

#include "analyze/heap/holder_path.h"
#include "analyze/heap/holder_text.h"
#include "analyze/heap/retention.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;

// `root`: where the way begins; the step may have gone on to its dictionary.
std::string root_phrase(const Step& step, NodeKind root) {
  if (root == NodeKind::module_root) return sentence("path.module", {{"name", step.name}});
  if (root == NodeKind::frame_root) return sentence("path.frame", {{"name", step.name}});
  return step.name;
}

std::string closure_phrase(const Step& step) {
  if (step.name.empty()) return sentence("holder.closure", {{"owner", step.owner}});
  return sentence("holder.closure_variable", {{"name", step.name}, {"owner", step.owner}});
}

std::string step_phrase(const Step& step, NodeKind root) {
  switch (step.kind) {
    case StepKind::root:
      return root_phrase(step, root);
    case StepKind::global:
      return sentence("path.global", {{"name", step.name}});
    case StepKind::class_attribute:
      return sentence("holder.class_attribute", {{"name", step.name}, {"owner", step.owner}});
    case StepKind::attribute:
      return sentence("path.attribute", {{"name", step.name}});
    case StepKind::local:
      return sentence("path.local", {{"name", step.name}, {"owner", step.owner}});
    case StepKind::closure:
      return closure_phrase(step);
    case StepKind::default_value:
      return sentence("holder.default", {{"owner", step.owner}});
    case StepKind::exit_callback:
      return sentence("holder.exit_callbacks");
    case StepKind::context_variable:
      return sentence("holder.context_variable", {{"name", step.name}});
    case StepKind::traceback:
      return step.owner.empty() ? sentence("path.traceback")
                                : sentence("path.traceback_of", {{"type", step.owner}});
    case StepKind::item:
    case StepKind::part:
      break;
  }
  return step.name.empty() ? sentence("path.unnamed") : step.name;
}

// Of the last array or tensor on the way: what comes behind it is its storage, and the block.
std::string form_along(const HeapGraph& heap, const std::vector<uint32_t>& way) {
  for (auto node = way.rbegin(); node != way.rend(); ++node) {
    const std::string_view type = heap.type(*node);
    const bool is_array = type == "numpy.ndarray" || type == "TensorImpl";
    if (is_array) return std::string(heap.snapshot().word(*node));
  }
  return "";
}

// The reference that leads on from what the block hangs from; the one to that itself where no other is told.
void mark_cut(const HeapGraph& heap, uint32_t point, const std::vector<uint32_t>& nodes,
              std::vector<PathStep>& steps) {
  const uint32_t holder = heap.owner_of(point);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] != point && heap.owner_of(nodes[i]) != holder) continue;
    const bool is_last = i + 1 == nodes.size();
    steps[is_last ? i : i + 1].is_cut = true;
    return;
  }
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
  path.form = form_along(heap, way);
  std::vector<uint32_t> nodes;  // that the told steps lead to
  for (const Step& step : steps_along(heap, way)) {
    if (step.node == b.node && step.kind == StepKind::part) continue;
    PathStep shown{step_phrase(step, heap.kind(way.size() > 1 ? way[1] : 0)), "", 0};
    uint32_t thing = heap.owner_of(step.node);  // not its dictionary
    if (step.kind != StepKind::root) {
      shown.type = heap.type(thing);
      shown.length = heap.snapshot().nodes()[thing].length;
    }
    // Of a long container only some references have a label.
    bool is_item = !path.steps.empty() && path.steps.back().length > 0;
    if (step.kind == StepKind::part && step.name.empty() && is_item)
      shown.name = sentence("path.one_of_them");
    path.steps.push_back(std::move(shown));
    nodes.push_back(step.node);
  }
  if (!held.empty() && held.front().point != 0)
    mark_cut(heap, held.front().point, nodes, path.steps);
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
