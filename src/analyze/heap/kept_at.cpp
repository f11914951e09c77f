#include "analyze/heap/kept_at.h"

#include <algorithm>

#include "analyze/heap/holder_path.h"
#include "analyze/heap/storing_line.h"

namespace tenure::analyze {
namespace {

using Kind = KeptName::Kind;

// `main` of `main()`, `hook` of `install.<locals>.hook`.
std::string bare_function(std::string name) {
  if (name.ends_with("()")) name.resize(name.size() - 2);
  size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::optional<KeptName> name_of_step(const Step& step) {
  switch (step.kind) {
    case StepKind::global:
    case StepKind::closure:
      return KeptName{Kind::variable, step.name, "", ""};
    case StepKind::local:
      return KeptName{Kind::variable, step.name, bare_function(step.owner), ""};
    case StepKind::attribute:
    case StepKind::class_attribute:
      return KeptName{Kind::attribute, step.name, step.owner, ""};
    default:
      return std::nullopt;
  }
}

bool is_nameless(const Step& step) {
  return step.kind == StepKind::item || step.kind == StepKind::part;
}

// `mse` of a first step ['mse'] below the name: on the way to the point, or from it to a typical block.
std::string key_below(const HeapGraph& heap, const Retention& retention, std::vector<Step> steps) {
  if (steps.empty()) steps = steps_along(heap, retention.down);
  if (steps.empty() || steps[0].kind != StepKind::item) return "";
  const std::string& text = steps[0].name;
  bool is_text = text.size() > 4 && text.starts_with("['");
  return is_text ? text.substr(2, text.size() - 4) : "";
}

bool is_cache(const HeapGraph& heap, uint32_t node) { return heap.type(node) == kCacheType; }

}  // namespace

std::vector<KeptName> kept_names(const HeapGraph& heap, const Retention& retention) {
  uint32_t point = retention.point;
  if (!point || retention.retention_kind == RetentionKind::cycle ||
      retention.retention_kind == RetentionKind::native)
    return {};
  uint32_t above = heap.tree().parent[point];
  for (uint32_t cache : {point, above}) {
    std::string_view word = heap.snapshot().word(cache);
    if (is_cache(heap, cache) && !word.empty())
      return {{Kind::cached_function, bare_function(std::string(word)), "", ""}};
  }
  std::vector<Step> steps = steps_along(heap, heap.way_to(point));
  std::vector<KeptName> names;
  for (size_t end = steps.size(); end > 0; --end) {
    const Step& step = steps[end - 1];
    if (is_nameless(step)) continue;
    std::optional<KeptName> name = name_of_step(step);
    if (!name) break;
    bool has_items = end < steps.size() && steps[end].kind == StepKind::item;
    if (!names.empty() && !has_items) continue;
    name->key = key_below(heap, retention, {steps.begin() + static_cast<long>(end), steps.end()});
    names.push_back(std::move(*name));
  }
  return names;
}

// What an object of a library is called in there, the program's code does not say: the name outside of it is asked for.
std::optional<Place> kept_at(const bytecode::Program& program, const std::vector<KeptName>& names) {
  auto known = std::find_if(names.begin(), names.end(),
                            [&](const KeptName& name) { return program.mentions(name.name); });
  if (known == names.end()) return std::nullopt;
  std::optional<StoringLine> found = find_storing_line(program, *known);
  if (!found) return std::nullopt;
  return Place{found->file, found->line, found->function, PlaceRole::kept_at};
}

}  // namespace tenure::analyze
