#include "analyze/holder_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analyze/holder_path.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;

constexpr size_t kLongestText = 160;
constexpr size_t kLongestName = 60;
constexpr const char* kNativeCode = "native code";

using Steps = std::vector<Step>;

bool is_name(const Step& step) {
  switch (step.kind) {
    case StepKind::global:
    case StepKind::class_attribute:
    case StepKind::attribute:
    case StepKind::local:
    case StepKind::closure:
    case StepKind::default_value:
      return true;
    default:
      return false;
  }
}

// A name that needs no other to be found: nothing above it has to be told.
bool is_outermost(const Step& step) {
  return is_name(step) && step.kind != StepKind::attribute && step.kind != StepKind::closure;
}

std::optional<size_t> last_name(const Steps& steps, size_t before) {
  for (size_t i = std::min(before, steps.size()); i-- > 0;) {
    if (is_name(steps[i])) return i;
  }
  return std::nullopt;
}

// Cut at a character, not inside one.
std::string shortened(std::string text, size_t most) {
  if (text.size() <= most) return text;
  constexpr std::string_view kEllipsis = "…";
  size_t end = most - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end).append(kEllipsis);
}

class Speaker {
 public:
  Speaker(const HeapGraph& heap, const Retention& retention, const std::string& main_file)
      : heap_(heap), retention_(retention), main_file_(main_file) {
    if (retention.point) {
      above_ = steps_along(heap, heap.way_to(retention.point));
    } else if (!retention.together.empty()) {
      above_ = steps_to(retention.together[0]);
    }
    below_ = steps_along(heap, retention.down);
    if (!below_.empty() && !retention.down.empty() && retention.down[0] == 0) below_.clear();
  }

  Holder say() const {
    Holder holder;
    holder.text = shortened(text(), kLongestText);
    for (const Steps* steps : {&above_, &below_}) {
      for (const Step& step : *steps) {
        std::string name = step_name(step);
        if (!name.empty() || step.kind != StepKind::part)
          holder.path.push_back({name, std::string(heap_.type(step.node))});
      }
    }
    return holder;
  }

 private:
  std::string text() const {
    switch (retention_.manner) {
      case Manner::cycle:
        return cycle_text();
      case Manner::native:
        return native_text();
      case Manner::frame:
        if (auto found = traceback_text()) return *found;
        break;
      case Manner::view:
        return "views in " + place_text();
      case Manner::gradients:
        return "gradient graph (grad_fn) of " + place_text();
      case Manner::python:
        break;
    }
    return place_text();
  }

  // ---- where it is

  std::string place_text() const {
    if (!retention_.point) return together_text();
    auto name = last_name(above_, above_.size());
    if (!name) return nameless_text();
    std::string short_form = name_phrase(above_, *name, true) + extent();
    std::string long_form = short_form + held_by(above_, *name);
    if (retention_.alike > 1 && long_form.size() > short_form.size()) long_form += " and the like";
    return long_form.size() <= kLongestText ? long_form : short_form;
  }

  // "attribute `cache` of `Loader`"
  std::string name_phrase(const Steps& steps, size_t at, bool has_noun) const {
    const Step& step = steps[at];
    std::string name =
        shortened(step.name + (has_noun ? items_after(steps, at) : ""), kLongestName);
    std::string thing = has_noun ? noun() : "";
    if (is_cache()) return fmt::format("lru_cache of `{}`", cached_function(steps, at));
    if (is_thread_local(steps, at))
      return fmt::format("thread-local {}`{}`{}", thing, name, of_owner(steps, at));
    switch (step.kind) {
      case StepKind::global:
        return fmt::format("global {}`{}` of {}", thing, name, module_name(step.owner));
      case StepKind::class_attribute:
        return fmt::format("class attribute `{}` of `{}`", name, step.owner);
      case StepKind::attribute:
        if (has_noun && retention_.alike > 1)
          return fmt::format("attribute `{}` of {} `{}`", name, retention_.alike, step.owner);
        return fmt::format("attribute `{}` of `{}`", name, step.owner);
      case StepKind::local:
        return fmt::format("local {}`{}` of {}", thing, name, step.owner);
      case StepKind::default_value:
        return fmt::format("default argument of {}()", step.owner);
      default:
        return step.name.empty() ? fmt::format("closure of `{}`", step.owner)
                                 : fmt::format("`{}` in the closure of `{}`", name, step.owner);
    }
  }

  // ", held by local `trainer.loader` of main()"
  std::string held_by(const Steps& steps, size_t at) const {
    if (is_outermost(steps[at])) return "";
    for (size_t i = at; i-- > 0;) {
      if (!is_outermost(steps[i])) continue;
      std::string dotted = steps[i].name;
      for (size_t k = i + 1; k < at; ++k) dotted += dotted_part(steps[k]);
      Step whole = steps[i];
      if (dotted.size() <= kLongestName) whole.name = dotted;
      return ", held by " + outer_phrase(whole);
    }
    bool is_native = !steps.empty() && heap_.kind(steps[0].node) == NodeKind::native_root;
    return is_native ? ", held by native code" : "";
  }

  std::string outer_phrase(const Step& step) const {
    switch (step.kind) {
      case StepKind::global:
        return fmt::format("global `{}` of {}", step.name, module_name(step.owner));
      case StepKind::class_attribute:
        return fmt::format("class attribute `{}` of `{}`", step.name, step.owner);
      case StepKind::local:
        return fmt::format("local `{}` of {}", step.name, step.owner);
      default:
        return fmt::format("a default argument of {}()", step.owner);
    }
  }

  static std::string dotted_part(const Step& step) {
    if (step.kind == StepKind::attribute) return "." + step.name;
    return step.kind == StepKind::item ? step.name : "";
  }

  static std::string items_after(const Steps& steps, size_t at) {
    std::string items;
    for (size_t i = at + 1; i < steps.size(); ++i) {
      if (steps[i].kind == StepKind::item) items += steps[i].name;
    }
    return items;
  }

  // No name at all on the way: the root and the type are what is known.
  std::string nameless_text() const {
    std::string type = short_type(heap_.type(retention_.point));
    std::string root = above_.empty() ? "" : module_name(above_[0].name);
    uint32_t owner = heap_.owner_of(retention_.point);
    if (heap_.is_module(owner)) return "globals of " + root;
    if (heap_.is_frame(owner)) return "locals of " + root;
    bool is_native = !above_.empty() && heap_.kind(above_[0].node) == NodeKind::native_root;
    if (is_native) return fmt::format("{}{}, held by native code", type, extent());
    if (root.empty()) return type + extent();
    return fmt::format("{}{}, held by {}", type, extent(), root);
  }

  std::string together_text() const {
    std::vector<std::string> names, types;
    for (const NamedReference& name : retention_.together) {
      auto [phrase, is_named] = reference_phrase(name);
      std::vector<std::string>& said = is_named ? names : types;
      bool is_new = std::find(said.begin(), said.end(), phrase) == said.end();
      if (is_new && !phrase.empty()) said.push_back(phrase);
    }
    if (names.empty()) names = types;  // only where nothing has a name
    if (retention_.manner == Manner::gradients && names.size() > 1)
      std::erase(names, kNativeCode);  // calls that are under way
    if (names.empty()) return "";
    if (names.size() == 1) return names[0];
    std::string text = names[0] + " and " + names[1];
    if (names.size() > 2) text += fmt::format(" and {} more", names.size() - 2);
    return retention_.manner == Manner::python ? "held by " + text + " at once" : text;
  }

  struct Phrase {
    std::string text;
    bool is_named;
  };
  Phrase reference_phrase(const NamedReference& name) const {
    if (heap_.kind(name.space) == NodeKind::native_root) return {kNativeCode, true};
    if (heap_.kind(name.space) == NodeKind::garbage_root) return {"cyclic garbage", true};
    Steps steps = steps_to(name);
    auto at = last_name(steps, steps.size());
    bool is_named = at && !steps[*at].name.empty();
    if (!is_named) return {short_type(heap_.type(name.space)), false};
    return {name_phrase(steps, *at, false), true};
  }

  Steps steps_to(const NamedReference& name) const {
    std::vector<uint32_t> way = heap_.way_to(name.space);
    way.push_back(name.node);
    return steps_along(heap_, way);
  }

  // ---- what it is

  // "list ", where the type tells more than the name.
  std::string noun() const {
    if (!retention_.point || heap_.kind(retention_.point) == NodeKind::native) return "";
    std::string type = short_type(heap_.type(retention_.point));
    bool is_thing = heap_.is_container(retention_.point) || heap_.is_carrier(retention_.point);
    return is_thing && !type.empty() ? type + " " : "";
  }

  // " (list of 160 Future)", " (214 items)"
  std::string extent() const {
    if (!retention_.point) return "";
    uint32_t length = heap_.snapshot().nodes()[retention_.point].length;
    if (length == 0) return "";
    if (is_cache()) return fmt::format(" ({} entries)", length);
    std::string item = item_type();
    auto name = last_name(above_, above_.size());
    bool is_said =
        name && (above_[*name].kind == StepKind::global || above_[*name].kind == StepKind::local);
    std::string type = is_said ? "" : short_type(heap_.type(retention_.point));
    if (item.empty() && is_said) return fmt::format(" ({} items)", length);
    if (item.empty()) return fmt::format(" ({}, {} items)", type, length);
    return is_said ? fmt::format(" ({} {})", length, item)
                   : fmt::format(" ({} of {} {})", type, length, item);
  }

  // The type of what is piled up, where it is one of the program's own or worth a word.
  std::string item_type() const {
    for (size_t i = 1; i < retention_.down.size(); ++i) {
      uint32_t node = retention_.down[i];
      if (heap_.is_carrier(node) || heap_.is_container(node)) return "";
      if (heap_.is_plumbing(node)) continue;
      return plural(short_type(heap_.type(node)));
    }
    return "";
  }

  static std::string plural(const std::string& type) {
    bool is_word = !type.empty() && type[0] >= 'a' && type[0] <= 'z' && type.back() != 's';
    return is_word ? type + "s" : type;
  }

  bool is_cache() const {
    if (!retention_.point) return false;
    uint32_t above = heap_.tree().parent[retention_.point];
    return heap_.type(retention_.point) == kCacheType || heap_.type(above) == kCacheType;
  }

  std::string cached_function(const Steps& steps, size_t at) const {
    uint32_t above = heap_.tree().parent[retention_.point];
    uint32_t cache = heap_.type(retention_.point) == kCacheType ? retention_.point : above;
    std::string word(heap_.snapshot().word(cache));
    if (!word.empty()) return word;
    const Step& step = steps[at];
    return step.kind == StepKind::class_attribute ? step.owner + "." + step.name : step.name;
  }

  bool is_thread_local(const Steps& steps, size_t at) const {
    return steps[at].kind == StepKind::attribute &&
           (steps[at].owner == "_local" || steps[at].owner == "local");
  }

  std::string of_owner(const Steps& steps, size_t at) const {
    auto outer = last_name(steps, at);
    return outer ? fmt::format(" of `{}`", steps[*outer].name) : "";
  }

  std::string module_name(const std::string& module) const {
    return module == "__main__" && !main_file_.empty() ? main_file_ : module;
  }

  std::string step_name(const Step& step) const {
    switch (step.kind) {
      case StepKind::traceback:
        return "__traceback__";
      case StepKind::closure:
        return step.name.empty() ? step.owner : step.owner + " " + step.name;
      case StepKind::default_value:
        return step.owner;
      default:
        return step.name;
    }
  }

  // ---- frames, cycles, native code

  // "traceback of the stored ValueError in `errors`, local `batch` of step()"
  std::optional<std::string> traceback_text() const {
    Steps all = above_;
    all.insert(all.end(), below_.begin(), below_.end());
    auto is_frame = [&](const Step& s) {
      return s.kind == StepKind::traceback || heap_.type(s.node) == "frame";
    };
    auto at = std::find_if(all.begin(), all.end(), is_frame);
    if (at == all.end()) return std::nullopt;
    size_t index = static_cast<size_t>(at - all.begin());
    auto name = last_name(all, index);
    auto local =
        std::find_if(at, all.end(), [](const Step& s) { return s.kind == StepKind::local; });
    bool is_many = index >= above_.size();
    std::string text = at->kind == StepKind::traceback ? "traceback" : "frame";
    if (is_many) text += "s";
    if (!at->owner.empty())
      text += fmt::format(" of the stored {}{}", at->owner, is_many ? "s" : "");
    if (name) text += (at->owner.empty() ? " stored in " : " in ") + name_phrase(all, *name, false);
    std::string held = name ? held_by(all, *name) : "";
    if (local != all.end()) {
      std::string keeps = fmt::format(", local `{}` of {}", local->name, local->owner);
      if (text.size() + keeps.size() + held.size() > kLongestText) held.clear();
      return text + keeps + held;
    }
    return text + held;
  }

  std::string native_text() const {
    std::string what;
    for (uint32_t node : retention_.down) {  // the last object is what owns the block
      if (heap_.kind(node) == NodeKind::object) what = short_type(heap_.type(node));
    }
    if (what.empty()) return "native code, no Python object refers to it";
    return fmt::format("native code holds {} {}; no Python name leads there", retention_.count,
                       what);
  }

  std::string cycle_text() const;
  std::vector<uint32_t> find_cycle() const;
  std::vector<uint32_t> way_back(uint32_t node,
                                 const std::unordered_map<uint32_t, bool>& among) const;

  const HeapGraph& heap_;
  const Retention& retention_;
  std::string main_file_;
  Steps above_, below_;
};

// "cyclic garbage (Lattice.cells -> Cell.lattice), waits for gc"
std::string Speaker::cycle_text() const {
  std::vector<uint32_t> cycle = find_cycle();
  if (cycle.empty()) return "cyclic garbage, waits for gc";
  cycle.push_back(cycle.front());
  std::string parts;
  bool has_graph = false;  // of gradients
  bool is_hidden = false;  // NumPy arrays take no part in collections: gc cannot look through them
  for (size_t i = 1; i < cycle.size(); ++i) {
    uint32_t from = heap_.owner_of(cycle[i - 1]);
    is_hidden |= heap_.type(from) == "numpy.ndarray";
    Label label = parse_label(heap_.label(cycle[i - 1], cycle[i]));
    if (label.kind == LabelKind::inner && from == cycle[i - 1]) continue;
    bool is_named = label.kind == LabelKind::attribute || label.kind == LabelKind::key;
    bool is_graph = heap_.is_gradient_node(from);
    has_graph |= is_graph;
    if (!is_named && !is_graph && (heap_.is_container(from) || heap_.is_carrier(from))) continue;
    std::string part = short_type(heap_.type(from)) + (is_named ? "." + label.name : "");
    if (parts.size() + part.size() > 100) break;
    parts += (parts.empty() ? "" : " -> ") + part;
  }
  if (has_graph)
    return fmt::format("cycle through the gradient graph ({}: grad_fn), which gc cannot see",
                       parts);
  if (is_hidden) return fmt::format("cycle ({}) through an array, which gc cannot see", parts);
  return fmt::format("cyclic garbage ({}), waits for gc", parts);
}

// A cycle that the typical block hangs from: back from the block, the first node that leads to itself.
std::vector<uint32_t> Speaker::find_cycle() const {
  if (retention_.down.empty()) return {};
  std::vector<uint32_t> queue{retention_.down.back()};
  std::unordered_map<uint32_t, bool> among{{queue[0], true}};
  for (size_t i = 0; i < queue.size() && queue.size() < 2000; ++i) {
    for (uint32_t from : heap_.referrers(queue[i])) {
      bool is_object = heap_.kind(from) == NodeKind::object || heap_.kind(from) == NodeKind::native;
      if (is_object && among.emplace(from, true).second) queue.push_back(from);
    }
  }
  for (size_t i = 0; i < queue.size() && i < 200; ++i) {
    std::vector<uint32_t> cycle = way_back(queue[i], among);
    if (!cycle.empty()) return cycle;
  }
  return {};
}

// From a node to itself; empty if it leads nowhere. An object and its half in C++ lead to each other: that is no cycle.
std::vector<uint32_t> Speaker::way_back(uint32_t node,
                                        const std::unordered_map<uint32_t, bool>& among) const {
  std::vector<uint32_t> queue{node};
  std::unordered_map<uint32_t, uint32_t> reached_from;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (uint32_t to : heap_.snapshot().targets(queue[i])) {
      auto came_from = reached_from.find(queue[i]);
      bool is_other_half =
          came_from != reached_from.end() && came_from->second == to &&
          (heap_.kind(to) == NodeKind::native) != (heap_.kind(queue[i]) == NodeKind::native);
      if (is_other_half || !among.contains(to)) continue;
      if (!reached_from.emplace(to, queue[i]).second) continue;
      if (to != node) {
        queue.push_back(to);
        continue;
      }
      std::vector<uint32_t> way;
      for (uint32_t v = queue[i]; v != node; v = reached_from[v]) way.push_back(v);
      way.push_back(node);
      std::reverse(way.begin(), way.end());
      return way;
    }
  }
  return {};
}

bool hangs_from_cache(const HeapGraph& heap, const Retention& r) {
  return r.point &&
         (heap.type(r.point) == kCacheType || heap.type(heap.tree().parent[r.point]) == kCacheType);
}

}  // namespace

Holder say_holder(const HeapGraph& heap, const Retention& retention, const std::string& main_file) {
  return Speaker(heap, retention, main_file).say();
}

std::string why_held(const HeapGraph& heap, const Retention& r) {
  switch (r.manner) {
    case Manner::frame:
      return fmt::format("a stored traceback keeps the locals of its frames: {} blocks", r.count);
    case Manner::view:
      return fmt::format("each small view keeps the whole array it was cut from: {} blocks",
                         r.count);
    case Manner::gradients:
      return fmt::format(
          "a tensor kept with its grad_fn keeps all that was saved for backward: {} blocks",
          r.count);
    case Manner::cycle:
      return fmt::format("{} blocks are held by nothing but reference cycles", r.count);
    case Manner::native:
      return fmt::format("{} blocks are held by C or C++ code, and by no Python object", r.count);
    case Manner::python:
      break;
  }
  if (!r.point) return fmt::format("{} blocks are held under these names", r.count);
  if (hangs_from_cache(heap, r))
    return fmt::format("{} blocks are results kept in the cache", r.count);
  return fmt::format("{} blocks hang from it", r.count);
}

std::string fix_of_holder(const HeapGraph& heap, const Retention& r) {
  switch (r.manner) {
    case Manner::frame:
      return "store str(error), not the exception or its traceback";
    case Manner::view:
      return "keep a copy of the part, not a view";
    case Manner::gradients:
      return "keep .item() or .detach() of it, or compute it under torch.no_grad()";
    case Manner::cycle:
      return "break the cycle when done with it, or make the reference back a weakref";
    case Manner::native:
      return "";
    case Manner::python:
      break;
  }
  if (hangs_from_cache(heap, r)) return "give the cache a maxsize";
  if (r.point && heap.is_container(r.point)) return "keep only what is needed later, or bound it";
  return "";
}

}  // namespace tenure::analyze
