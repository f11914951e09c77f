#include "analyze/kept_at.h"

#include <fstream>
#include <set>
#include <sstream>

#include "analyze/holder_path.h"
#include "analyze/source_line.h"
#include "base/source_path.h"

namespace tenure::analyze {
namespace {

using Kind = KeptName::Kind;

constexpr size_t kMostFiles = 200;
constexpr size_t kLargestFile = 4 << 20;

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

std::vector<SourceText> users_sources(const ledger::Reader& ledger) {
  std::set<std::string> files;
  for (const ledger::Code& code : ledger.codes()) {
    std::string file(ledger.string(code.file));
    if (file.ends_with(".py") && is_user_file(file)) files.insert(std::move(file));
  }
  std::vector<SourceText> sources;
  for (const std::string& file : files) {
    if (sources.size() == kMostFiles) return {};  // what is not read could store too
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in || text.view().size() > kLargestFile) return {};
    sources.push_back({file, text.str()});
  }
  return sources;
}

}  // namespace

std::optional<KeptName> kept_name(const HeapGraph& heap, const Retention& retention) {
  uint32_t point = retention.point;
  if (!point || retention.manner == Manner::cycle || retention.manner == Manner::native)
    return std::nullopt;
  uint32_t above = heap.tree().parent[point];
  for (uint32_t cache : {point, above}) {
    std::string_view word = heap.snapshot().word(cache);
    if (is_cache(heap, cache) && !word.empty())
      return KeptName{Kind::cached_function, bare_function(std::string(word)), "", ""};
  }
  std::vector<Step> steps = steps_along(heap, heap.way_to(point));
  size_t to_point = steps.size();
  while (to_point > 0 && is_nameless(steps[to_point - 1])) --to_point;
  if (to_point == 0) return std::nullopt;
  std::optional<KeptName> kept = name_of_step(steps[to_point - 1]);
  if (kept) kept->key = key_below(heap, retention, {steps.begin() + to_point, steps.end()});
  return kept;
}

std::optional<Place> kept_at(const Frames& frames, const KeptName& kept) {
  std::optional<StoringLine> found = find_storing_line(users_sources(frames.ledger()), kept);
  if (!found) return std::nullopt;
  return Place{found->file, found->line, found->function, "kept at",
               read_source_line(found->file, found->line)};
}

}  // namespace tenure::analyze
