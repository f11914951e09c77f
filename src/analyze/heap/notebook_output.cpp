#include "analyze/heap/notebook_output.h"

#include <algorithm>

#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

constexpr std::string_view kLastErrors[] = {"last_value", "last_traceback", "last_exc"};
constexpr std::string_view kNewest[] = {"_", "__", "___"};
constexpr std::string_view kAll[] = {"Out", "_oh"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_all_outputs(const HeapGraph& heap, uint32_t node) {
  auto above = heap.referrers(node);
  return heap.type(node) == "dict" && std::any_of(above.begin(), above.end(), [&](uint32_t from) {
           return is_one_of(kAll, parse_label(heap.label(from, node)).name);
         });
}

// Under which number `Out` has the object; empty: under none.
std::string number_in_out(const HeapGraph& heap, uint32_t node) {
  for (uint32_t from : heap.referrers(node)) {
    const Label label = parse_label(heap.label(from, node));
    if (label.kind == LabelKind::index && is_number(label.name) && is_all_outputs(heap, from))
      return label.name;
  }
  return "";
}

bool is_output_name(std::string_view name) {
  return is_one_of(kNewest, name) || is_one_of(kAll, name) ||
         (name.starts_with("_") && is_number(name.substr(1)));
}

// What a global of the notebook calls it, other than IPython's names.
std::string own_name_of(const HeapGraph& heap, uint32_t node) {
  for (uint32_t from : heap.referrers(node)) {
    const uint32_t module = heap.owner_of(from);
    if (!heap.is_module(module) || heap.snapshot().word(module) != "__main__") continue;
    const Label label = parse_label(heap.label(from, node));
    if (label.kind == LabelKind::key && !is_output_name(label.name)) return label.name;
  }
  return "";
}

// "5" of "[5]".
std::string number_of_item(const Step& step) {
  if (step.kind != StepKind::item || step.name.size() < 3) return "";
  const std::string inside = step.name.substr(1, step.name.size() - 2);
  return is_number(inside) ? inside : "";
}

}  // namespace

std::optional<NotebookOutput> notebook_output(const HeapGraph& heap, const std::vector<Step>& steps,
                                              size_t at) {
  const Step& step = steps[at];
  if (step.kind != StepKind::global || step.owner != "__main__") return std::nullopt;
  if (is_one_of(kAll, step.name) && is_all_outputs(heap, step.node)) {
    const std::string number = at + 1 < steps.size() ? number_of_item(steps[at + 1]) : "";
    if (number.empty()) return NotebookOutput{"", "", 1};
    return NotebookOutput{number, own_name_of(heap, steps[at + 1].node), 2};
  }
  std::string number = number_in_out(heap, step.node);  // else it is the user's alone
  if (number.empty()) return std::nullopt;
  return NotebookOutput{std::move(number), is_output_name(step.name) ? "" : step.name, 1};
}

std::string advice_for_notebook(const HeapGraph& heap, const Retention& retention) {
  std::vector<Step> steps = steps_along(heap, way_above(heap, retention));
  for (size_t at = 0; at < steps.size(); ++at) {
    const auto output = notebook_output(heap, steps, at);
    if (!output) continue;
    if (output->own_name.empty()) return sentence("held.output.fix");
    return sentence("held.output_too.fix", {{"name", output->own_name}});
  }
  const std::vector<Step> below = steps_along(heap, retention.down);
  steps.insert(steps.end(), below.begin(), below.end());
  const bool is_of_error = std::any_of(steps.begin(), steps.end(), is_last_error);
  return is_of_error ? sentence("held.last_error.fix") : "";
}

bool is_last_error(const Step& step) {
  const bool is_of_sys = step.kind == StepKind::global && step.owner == "sys";
  return (is_of_sys || step.kind == StepKind::traceback) && is_one_of(kLastErrors, step.name);
}

}  // namespace tenure::analyze
