#include "analyze/heap/kept_at.h"

#include <algorithm>

#include "analyze/heap/holder_path.h"
#include "analyze/heap/library_call.h"
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
    case StepKind::context_variable:
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

// Figures stay in a registry of pyplot that the functions of pyplot fill.
constexpr std::string_view kFigureMakers[] = {"figure", "subplots", "subplot_mosaic"};

std::string last_part(std::string_view dotted) {
  size_t dot = dotted.rfind('.');
  return std::string(dot == dotted.npos ? dotted : dotted.substr(dot + 1));
}

// The last module of a library on the way; threads belong to `threading`.
std::string library_on(const HeapGraph& heap, const std::vector<uint32_t>& way) {
  for (size_t i = way.size(); i-- > 1;) {
    bool is_users = heap.snapshot().nodes()[way[i]].flags & ledger::kNodeIsUsers;
    if (heap.is_module(way[i]) && !is_users) return last_part(heap.snapshot().word(way[i]));
  }
  std::string_view word = heap.snapshot().word(way[1]);
  bool is_of_thread = heap.kind(way[1]) == ledger::NodeKind::frame_root &&
                      word.find(", ") != word.npos && !word.ends_with("MainThread");
  return is_of_thread ? "threading" : "";
}

void add_clue(const HeapGraph& heap, uint32_t node, KeptClues& clues) {
  std::string_view type = heap.type(node), word = heap.snapshot().word(node);
  bool has_function = heap.is_frame(node) || type == "function" || type == "coroutine";
  if (has_function) {
    std::string name(word.substr(0, word.find("()")));
    clues.functions.push_back(bare_function(name));
  } else if (heap.kind(node) == ledger::NodeKind::object && !heap.is_internal_container(node)) {
    clues.types.push_back(short_type(type));
  }
}

}  // namespace

KeptClues kept_clues(const HeapGraph& heap, const Retention& retention) {
  KeptClues clues;
  std::vector<uint32_t> way = way_above(heap, retention);
  if (way.size() < 2) return clues;
  clues.module = library_on(heap, way);
  way.insert(way.end(), retention.down.begin(), retention.down.end());
  for (uint32_t node : way) add_clue(heap, node, clues);
  bool is_figure = std::any_of(way.begin(), way.end(), [&](uint32_t v) {
    return heap.is_class(v) && heap.snapshot().word(v) == "Gcf";
  });
  if (is_figure) clues.makers.assign(std::begin(kFigureMakers), std::end(kFigureMakers));
  return clues;
}

std::vector<KeptName> kept_names(const HeapGraph& heap, const Retention& retention) {
  uint32_t point = retention.point;
  bool is_held = point || !retention.together.empty();
  if (!is_held || retention.retention_kind == RetentionKind::cycle ||
      retention.retention_kind == RetentionKind::native)
    return {};
  uint32_t above = heap.tree().parent[point];
  for (uint32_t cache : {point, above}) {
    if (!point) break;
    std::string_view word = heap.snapshot().word(cache);
    if (is_cache(heap, cache) && !word.empty())
      return {{Kind::cached_function, bare_function(std::string(word)), "", ""}};
  }
  if (is_in_threads(heap, retention)) return {};  // what started them keeps it
  std::vector<Step> steps = steps_along(heap, way_above(heap, retention));
  std::vector<KeptName> names;
  for (size_t end = steps.size(); end > 0; --end) {
    const Step& step = steps[end - 1];
    if (is_nameless(step)) continue;
    std::optional<KeptName> name = name_of_step(step);
    if (!name) break;
    bool has_items = end < steps.size() && steps[end].kind == StepKind::item;
    name->is_of_owner = !names.empty() && !has_items;
    name->is_graph = names.empty() && retention.retention_kind == RetentionKind::gradients;
    name->key = key_below(heap, retention, {steps.begin() + static_cast<long>(end), steps.end()});
    names.push_back(std::move(*name));
  }
  return names;
}

// What an object of a library is called in there, the program's code does not say: the name outside of it is asked for.
std::optional<Place> kept_at(const bytecode::Program& program, const std::vector<KeptName>& names,
                             const KeptClues& clues) {
  auto known = std::find_if(names.begin(), names.end(), [&](const KeptName& name) {
    return !name.is_of_owner && program.mentions(name.name);
  });
  std::optional<StoringLine> found;
  if (known != names.end()) found = find_storing_line(program, *known);
  if (!found) found = find_library_call(program, names, clues);
  if (!found) return std::nullopt;
  return Place{found->file, found->line, found->function, PlaceRole::kept_at};
}

}  // namespace tenure::analyze
