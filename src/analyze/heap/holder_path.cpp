#include "analyze/heap/holder_path.h"

#include <algorithm>
#include <optional>

#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;

constexpr std::string_view kInner[] = {
    ".__dict__",      ".__globals__", ".f_globals", ".tb_frame",           ".tb_next",
    ".cell_contents", ".__func__",    ".__self__",  ".f_locals",           ".f_back",
    ".__wrapped__",   ".gi_frame",    ".cr_frame",  "thread-local values", ".__code__"};

// "step() of train.py, thread MainThread" -> "step()"
std::string function_of(std::string_view word) {
  size_t end = word.find("()");
  return std::string(end == std::string_view::npos ? word : word.substr(0, end + 2));
}

std::string with_parentheses(std::string_view word) {
  std::string name = function_of(word);
  if (name.empty()) return sentence("a-function");
  return name.back() == ')' ? name : name + "()";
}

// `x` of "local `x`"
std::optional<std::string> quoted_after(std::string_view text, std::string_view before) {
  size_t at = text.find(before);
  if (at == std::string_view::npos || text.back() != '`') return std::nullopt;
  at += before.size();
  return std::string(text.substr(at, text.size() - at - 1));
}

class StepMaker {
 public:
  explicit StepMaker(const HeapGraph& heap) : heap_(heap) {}

  std::vector<Step> make(const std::vector<uint32_t>& way) {
    for (size_t i = 1; i < way.size(); ++i) add(way[i - 1], way[i]);
    return std::move(steps_);
  }

 private:
  void add(uint32_t from, uint32_t to) {
    if (from == 0) return push(StepKind::root, root_name(to), "", to);
    Label label = parse_label(heap_.label(from, to));
    std::string_view text = heap_.label(from, to);
    uint32_t owner = heap_.owner_of(from);
    if (text == ".__traceback__")
      return push(StepKind::traceback, "", short_type(heap_.type(from)), to);
    if (text == ".__closure__") return push(StepKind::closure, "", function_name(from), to);
    if (text == ".__defaults__" || text == ".__kwdefaults__")
      return push(StepKind::default_value, "", function_name(from), to);
    if (label.kind == LabelKind::variable && !steps_.empty()) steps_.back().name = label.name;
    if (auto name = quoted_after(text, "context `"))
      return push(StepKind::context_variable, *name, "", to);
    if (label.kind == LabelKind::local)  // also of a cell: functions inside share it
      return push(StepKind::local, label.name, with_parentheses(word_of_code(owner)), to);
    bool is_per_thread = heap_.thread_local_of(from) != from;
    if (label.kind == LabelKind::inner || is_per_thread || is_inside_closure(from, to))
      return move_on(to);
    if (heap_.type(to) == "traceback" && heap_.type(from) != "traceback")
      return push(StepKind::traceback, label.name, "", to);
    if (heap_.type(from) == "traceback") return move_on(to);
    add_named(label, owner, from, to);
  }

  void add_named(const Label& label, uint32_t owner, uint32_t from, uint32_t to) {
    bool is_name = label.kind == LabelKind::attribute || label.kind == LabelKind::key;
    bool is_space = owner != from || label.kind == LabelKind::attribute;
    if (label.kind == LabelKind::base) return move_on(to);
    if (is_name && is_space && heap_.is_module(owner))
      return push(StepKind::global, label.name, std::string(heap_.snapshot().word(owner)), to);
    if (is_name && is_space && heap_.is_class(owner))
      return push(StepKind::class_attribute, label.name, class_name(owner), to);
    if (is_name && is_space)
      return push(StepKind::attribute, label.name, short_type(heap_.type(owner)), to);
    if (label.kind == LabelKind::key) return push(StepKind::item, "['" + label.name + "']", "", to);
    if (label.kind == LabelKind::index) return push(StepKind::item, "[" + label.name + "]", "", to);
    bool is_atexit = heap_.is_module(from) && heap_.snapshot().word(from) == "atexit";
    if (is_atexit && (label.kind == LabelKind::none || label.name == "exit-callback"))
      return push(StepKind::exit_callback, "atexit", "", to);
    push(StepKind::part, label.name, short_type(heap_.type(owner)), to);
  }

  void push(StepKind kind, std::string name, std::string owner, uint32_t to) {
    steps_.push_back({kind, std::move(name), std::move(owner), to});
  }

  void move_on(uint32_t to) {
    if (!steps_.empty()) steps_.back().node = to;
  }

  // From the tuple of a closure to its cells, and from defaults to one of them.
  bool is_inside_closure(uint32_t from, uint32_t to) const {
    if (heap_.type(to) == "cell" || heap_.type(from) == "cell") return true;
    bool is_defaults = !steps_.empty() && steps_.back().kind == StepKind::default_value;
    return is_defaults && steps_.back().node == from;
  }

  std::string root_name(uint32_t node) const {
    std::string word(heap_.snapshot().word(node));
    switch (heap_.kind(node)) {
      case NodeKind::native_root:
        return sentence("holder.native_code");
      case NodeKind::garbage_root:
        return sentence("holder.garbage");
      default:
        return word.empty() ? short_type(heap_.type(node)) : word;
    }
  }

  std::string function_name(uint32_t node) const {
    std::string_view word = heap_.snapshot().word(node);
    return word.empty() ? short_type(heap_.type(node)) : std::string(word);
  }

  std::string_view word_of_code(uint32_t node) const { return heap_.snapshot().word(node); }

  std::string class_name(uint32_t node) const {
    std::string_view word = heap_.snapshot().word(node);
    return word.empty() ? sentence("a-class") : short_type(word);
  }

  const HeapGraph& heap_;
  std::vector<Step> steps_;
};

}  // namespace

Label parse_label(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text.empty() || text == ".?") return {};
  if (text == ".base") return {LabelKind::base, ""};
  if (std::find(std::begin(kInner), std::end(kInner), text) != std::end(kInner))
    return {LabelKind::inner, std::string(text.substr(1))};
  if (auto name = quoted_after(text, "local `")) return {LabelKind::local, *name};
  if (auto name = quoted_after(text, "closure `")) return {LabelKind::variable, *name};
  if (text.front() == '.' && text.size() > 1)
    return {LabelKind::attribute, std::string(text.substr(1))};
  if (text.front() != '[' || text.back() != ']' || text.size() < 3)
    return {LabelKind::part, std::string(text)};
  std::string_view inside = text.substr(1, text.size() - 2);
  bool is_quoted = inside.size() >= 2 && inside.front() == '\'' && inside.back() == '\'';
  if (is_quoted) return {LabelKind::key, std::string(inside.substr(1, inside.size() - 2))};
  return {LabelKind::index, std::string(inside)};
}

std::vector<Step> steps_along(const HeapGraph& heap, const std::vector<uint32_t>& way) {
  return StepMaker(heap).make(way);
}

std::string short_type(std::string_view type) {
  size_t dot = type.rfind('.');
  return std::string(dot == std::string_view::npos ? type : type.substr(dot + 1));
}

}  // namespace tenure::analyze
