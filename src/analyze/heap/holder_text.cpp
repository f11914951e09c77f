#include "analyze/heap/holder_text.h"

#include <algorithm>
#include <optional>

#include "analyze/heap/cycle.h"
#include "analyze/heap/holder_path.h"
#include "analyze/heap/notebook_output.h"
#include "analyze/heap/rules.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;

using Steps = std::vector<Step>;

bool is_name(const Step& step) {
  switch (step.kind) {
    case StepKind::global:
    case StepKind::class_attribute:
    case StepKind::attribute:
    case StepKind::local:
    case StepKind::closure:
    case StepKind::default_value:
    case StepKind::exit_callback:
    case StepKind::context_variable:
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

// What a snapshot counted may have become more until the end.
std::string count_text(uint64_t count, const Retention& r) {
  return r.has_grown_since ? sentence("count.at_least", {{"count", count}}) : std::to_string(count);
}

class HolderText {
 public:
  HolderText(const HeapGraph& heap, const Retention& retention, const std::string& main_file)
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
    if (std::string found = text(); !found.empty())
      holder.text = sentence("holder.fitted", {{"text", found}});
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
    switch (retention_.retention_kind) {
      case RetentionKind::cycle:
        return cycle_phrase();
      case RetentionKind::native:
        return native_text();
      case RetentionKind::frame:
        if (auto found = traceback_text()) return *found;
        break;
      case RetentionKind::view:
        return sentence("holder.view", {{"place", place_text()}});
      case RetentionKind::gradients:
        return sentence("holder.gradients", {{"place", place_text()}});
      case RetentionKind::python:
        break;
    }
    return place_text();
  }

  // ---- where it is

  std::string place_text() const {
    if (!retention_.point) return together_text();
    auto name = last_name(above_, above_.size());
    if (!name) return nameless_text();
    return sentence("holder.place", {{"name", name_phrase(above_, *name, true)},
                                     {"extent", extent()},
                                     {"held", held_by(above_, *name, retention_.alike > 1)}});
  }

  // "attribute `cache` of `Loader`"
  std::string name_phrase(const Steps& steps, size_t at, bool has_noun) const {
    const Step& step = steps[at];
    std::string name =
        shortened(step.name + (has_noun ? items_after(steps, at) : ""), kLongestName);
    std::string type = has_noun ? noun() : "";
    if (is_cache()) return sentence("holder.cache", {{"function", cached_function(steps, at)}});
    if (auto output = notebook_output(heap_, steps, at))
      return output_phrase(*output, type,
                           has_noun ? items_after(steps, at + output->steps - 1) : "");
    if (is_thread_local(steps, at))
      return sentence("holder.thread_local",
                      {{"noun", type}, {"name", name}, {"of", of_owner(steps, at)}});
    bool is_of_threads = !retention_.point && retention_.alike > 1 && step.kind == StepKind::local;
    if (is_of_threads)
      return sentence("holder.local_of_threads",
                      {{"name", name}, {"owner", step.owner}, {"count", retention_.alike}});
    bool is_of_many = has_noun && retention_.alike > 1 && step.kind == StepKind::attribute;
    if (is_of_many)
      return sentence("holder.attribute_of_many",
                      {{"name", name}, {"count", retention_.alike}, {"owner", step.owner}});
    return step_phrase(step, name, type);
  }

  std::string output_phrase(const NotebookOutput& output, const std::string& noun,
                            const std::string& items) const {
    const std::string notebook = module_name("__main__");
    if (output.number.empty()) return sentence("holder.outputs", {{"notebook", notebook}});
    if (output.own_name.empty())
      return sentence(
          "holder.output",
          {{"noun", noun}, {"number", output.number}, {"items", items}, {"notebook", notebook}});
    return sentence("holder.output_too", {{"noun", noun},
                                          {"name", output.own_name},
                                          {"items", items},
                                          {"number", output.number},
                                          {"notebook", notebook}});
  }

  std::string step_phrase(const Step& step, const std::string& name,
                          const std::string& noun) const {
    switch (step.kind) {
      case StepKind::global:
        return sentence("holder.global",
                        {{"noun", noun}, {"name", name}, {"module", module_name(step.owner)}});
      case StepKind::class_attribute:
        return sentence("holder.class_attribute", {{"name", name}, {"owner", step.owner}});
      case StepKind::attribute:
        return sentence("holder.attribute", {{"name", name}, {"owner", step.owner}});
      case StepKind::local:
        return sentence("holder.local", {{"noun", noun}, {"name", name}, {"owner", step.owner}});
      case StepKind::default_value:
        return sentence("holder.default", {{"owner", step.owner}});
      case StepKind::exit_callback:
        return sentence("holder.exit_callbacks");
      case StepKind::context_variable:
        return sentence("holder.context_variable", {{"name", name}});
      default:
        return closure_phrase(step, name);
    }
  }

  static std::string closure_phrase(const Step& step, const std::string& name) {
    if (step.name.empty()) return sentence("holder.closure", {{"owner", step.owner}});
    return sentence("holder.closure_variable", {{"name", name}, {"owner", step.owner}});
  }

  // ", held by local `trainer.loader` of main()"
  std::string held_by(const Steps& steps, size_t at, bool has_alike) const {
    std::string outer = outer_phrase(steps, at);
    if (outer.empty()) return "";
    return sentence(has_alike ? "holder.held_by_and_alike" : "holder.held_by", {{"by", outer}});
  }

  // Empty: it needs none, or none is known.
  std::string outer_phrase(const Steps& steps, size_t at) const {
    if (is_outermost(steps[at])) return "";
    for (size_t i = at; i-- > 0;) {
      if (!is_outermost(steps[i])) continue;
      std::string dotted = steps[i].name;
      for (size_t k = i + 1; k < at; ++k) dotted += dotted_part(steps[k]);
      if (steps[i].kind == StepKind::default_value)
        return sentence("holder.a_default", {{"owner", steps[i].owner}});
      return step_phrase(steps[i], dotted.size() <= kLongestName ? dotted : steps[i].name, "");
    }
    bool is_native = !steps.empty() && heap_.kind(steps[0].node) == NodeKind::native_root;
    return is_native ? sentence("holder.native_code") : "";
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
    std::string root = above_.empty() ? "" : module_name(above_[0].name);
    uint32_t owner = heap_.owner_of(retention_.point);
    if (heap_.is_module(owner)) return sentence("holder.globals", {{"of", root}});
    if (heap_.is_frame(owner)) return sentence("holder.locals", {{"of", root}});
    std::string type = short_type(heap_.type(retention_.point)), much = extent();
    if (type == "function")
      type = sentence("holder.function", {{"name", heap_.snapshot().word(retention_.point)}});
    if (root.empty() && type.empty() && much.empty()) return "";
    std::string held = root.empty() ? "" : sentence("holder.held_by", {{"by", root}});
    return sentence("holder.nameless", {{"type", type}, {"extent", much}, {"held", held}});
  }

  std::string together_text() const {
    std::vector<std::string> names = names_together();
    if (names.empty()) return "";
    if (names.size() == 1) return names[0];
    std::string all = sentence("and", {{"first", names[0]}, {"second", names[1]}});
    if (names.size() > 2)
      all = sentence("holder.and_more", {{"names", all}, {"count", names.size() - 2}});
    bool is_python = retention_.retention_kind == RetentionKind::python;
    return is_python ? sentence("holder.at_once", {{"names", all}}) : all;
  }

  // Types only where nothing has a name.
  std::vector<std::string> names_together() const {
    std::vector<std::string> names, types;
    for (const NamedReference& name : retention_.together) {
      auto [phrase, is_named] = reference_phrase(name);
      std::vector<std::string>& said = is_named ? names : types;
      bool is_new = std::find(said.begin(), said.end(), phrase) == said.end();
      if (is_new && !phrase.empty()) said.push_back(phrase);
    }
    if (names.empty()) names = types;
    if (names.size() > 1) std::erase(names, sentence("holder.native_code"));  // or calls under way
    // What waits in every one of them has the same names again in each of the frames.
    if (is_in_threads(heap_, retention_)) names.resize(1);
    return names;
  }

  struct Phrase {
    std::string text;
    bool is_named;
  };
  Phrase reference_phrase(const NamedReference& name) const {
    if (heap_.kind(name.space) == NodeKind::native_root)
      return {sentence("holder.native_code"), true};
    if (heap_.kind(name.space) == NodeKind::garbage_root) return {sentence("holder.garbage"), true};
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
    bool is_thing = heap_.is_container(retention_.point) || heap_.is_data_owner(retention_.point);
    return is_thing && !type.empty() ? sentence("holder.noun", {{"type", type}}) : "";
  }

  // " (list of 160 Future)", " (214 items)"
  std::string extent() const {
    if (!retention_.point) return "";
    uint32_t length = heap_.snapshot().nodes()[retention_.point].length;
    if (length == 0) return "";
    std::string count = count_text(length, retention_);
    if (is_cache()) return sentence("holder.entries", {{"count", count}});
    std::string item = item_type();
    std::string type = short_type(heap_.type(retention_.point));
    auto name = last_name(above_, above_.size());
    bool is_said =
        name && (above_[*name].kind == StepKind::global || above_[*name].kind == StepKind::local);
    if (item.empty() && is_said) return sentence("holder.items", {{"count", count}});
    if (item.empty()) return sentence("holder.typed_items", {{"type", type}, {"count", count}});
    if (is_said) return sentence("holder.items_of_type", {{"count", count}, {"item", item}});
    return sentence("holder.typed_items_of_type",
                    {{"type", type}, {"count", count}, {"item", item}});
  }

  // The type of what is piled up, where it is no container and owns no data itself.
  std::string item_type() const {
    for (size_t i = 1; i < retention_.down.size(); ++i) {
      uint32_t node = retention_.down[i];
      if (heap_.is_data_owner(node) || heap_.is_container(node)) return "";
      if (heap_.is_internal_container(node)) continue;
      return plural(short_type(heap_.type(node)));
    }
    return "";
  }

  static std::string plural(const std::string& type) {
    bool is_word = !type.empty() && type[0] >= 'a' && type[0] <= 'z' && type.back() != 's';
    return is_word ? sentence("holder.several", {{"type", type}}) : type;
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
    return outer ? sentence("holder.of", {{"name", steps[*outer].name}}) : "";
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
    const bool is_last = std::any_of(all.begin(), at + 1, is_last_error);
    std::string what =
        is_last ? sentence("holder.last_error") : frame_phrase(*at, index >= above_.size());
    if (is_last) name.reset();
    std::string in = name ? stored_in(name_phrase(all, *name, false), at->owner.empty()) : "";
    std::string held = name ? held_by(all, *name, false) : "";
    if (local == all.end())
      return sentence("holder.frame", {{"what", what}, {"in", in}, {"held", held}});
    std::string keeps =
        sentence("holder.frame_local", {{"name", local->name}, {"owner", local->owner}});
    return sentence("holder.local_of_frame",
                    {{"what", what}, {"in", in}, {"local", keeps}, {"held", held}});
  }

  // "tracebacks of the stored ValueErrors"
  static std::string frame_phrase(const Step& step, bool is_many) {
    std::string of;
    if (!step.owner.empty())
      of = sentence(is_many ? "holder.of_stored_many" : "holder.of_stored", {{"type", step.owner}});
    if (step.kind == StepKind::traceback)
      return sentence(is_many ? "holder.tracebacks" : "holder.traceback", {{"of", of}});
    return sentence(is_many ? "holder.python_frames" : "holder.python_frame", {{"of", of}});
  }

  static std::string stored_in(const std::string& name, bool is_nameless) {
    return sentence(is_nameless ? "holder.stored_in" : "holder.in", {{"name", name}});
  }

  std::string native_text() const {
    std::string what;
    for (uint32_t node : retention_.down) {  // the last object is what owns the block
      if (heap_.kind(node) == NodeKind::object) what = short_type(heap_.type(node));
    }
    if (what.empty()) return sentence("holder.native");
    return sentence("holder.native_objects",
                    {{"count", count_text(retention_.count, retention_)}, {"type", what}});
  }

  std::string cycle_phrase() const;

  const HeapGraph& heap_;
  const Retention& retention_;
  std::string main_file_;
  Steps above_, below_;
};

// "cyclic garbage (Lattice.cells -> Cell.lattice), waits for gc"
std::string HolderText::cycle_phrase() const {
  std::vector<uint32_t> cycle = find_cycle(heap_, retention_);
  if (cycle.empty()) return sentence("holder.unknown_cycle");
  CycleText told = cycle_text(heap_, cycle);
  if (told.has_graph) return sentence("holder.cycle_of_gradients", {{"cycle", told.parts}});
  return sentence(told.is_hidden ? "holder.cycle_of_array" : "holder.cycle",
                  {{"cycle", told.parts}});
}

std::string fix_of_cycle(const HeapGraph& heap, const Retention& r) {
  std::string closing = cycle_text(heap, find_cycle(heap, r)).closing;
  if (closing.empty()) return sentence("held.cycle.fix");
  return sentence("held.closed_cycle.fix", {{"attribute", closing}});
}

// Several names that hold the same things have to let go of them together.
std::string fix_of_names(const HeapGraph& heap, const Retention& r) {
  if (r.point || r.together.empty() || is_in_threads(heap, r)) return "";
  return sentence(r.together.size() > 1 ? "held.at_once.fix" : "held.names.fix");
}

bool hangs_from_cache(const HeapGraph& heap, const Retention& r) {
  return r.point &&
         (heap.type(r.point) == kCacheType || heap.type(heap.tree().parent[r.point]) == kCacheType);
}

}  // namespace

Holder say_holder(const HeapGraph& heap, const Retention& retention, const std::string& main_file) {
  return HolderText(heap, retention, main_file).say();
}

std::string why_held(const HeapGraph& heap, const Retention& r) {
  std::string count = count_text(r.count, r);
  switch (r.retention_kind) {
    case RetentionKind::frame:
      return sentence("held.frame.why", {{"count", count}});
    case RetentionKind::view:
      return sentence("held.view.why", {{"count", count}});
    case RetentionKind::gradients:
      return sentence("held.gradients.why", {{"count", count}});
    case RetentionKind::cycle:
      return sentence("held.cycle.why", {{"count", count}});
    case RetentionKind::native:
      return sentence("held.native.why", {{"count", count}});
    case RetentionKind::python:
      break;
  }
  if (!r.point) return sentence("held.names.why", {{"count", count}});
  if (hangs_from_cache(heap, r)) return sentence("held.cache.why", {{"count", count}});
  return sentence("held.container.why", {{"count", count}});
}

std::string fix_of_holder(const HeapGraph& heap, const Retention& r) {
  if (std::string advice = advice_for_notebook(heap, r); !advice.empty()) return advice;
  switch (r.retention_kind) {
    case RetentionKind::frame:
      return sentence("held.frame.fix");
    case RetentionKind::view:
      return sentence("held.view.fix");
    case RetentionKind::gradients:
      return sentence("held.gradients.fix");
    case RetentionKind::cycle:
      return fix_of_cycle(heap, r);
    case RetentionKind::native:
      return "";
    case RetentionKind::python:
      break;
  }
  if (hangs_from_cache(heap, r)) return sentence("held.cache.fix");
  if (r.point) return sentence("held.container.fix");
  return fix_of_names(heap, r);
}

}  // namespace tenure::analyze
