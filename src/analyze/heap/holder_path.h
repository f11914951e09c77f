// analyze/heap/holder_path.h: the way from a root to a holder in steps a person knows: globals, attributes, locals, items.
// World: offline. Pure. References between a thing and its parts (`__dict__`, cells, frames of a traceback) are left out.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analyze/heap/heap_graph.h"

namespace tenure::analyze {

// What the text of a reference says. Texts that are not known are `part`.
enum class LabelKind {
  none,       // ""
  key,        // ['name']
  index,      // [12], or a key that is no text: [(3, 4)]
  attribute,  // .name
  local,      // local `name`
  variable,   // closure `name`
  inner,      // .__dict__ and the like: a thing and its part
  base,       // .base: a view and what it looks at
  part,       // anything else
};

struct Label {
  LabelKind kind = LabelKind::none;
  std::string name;  // without its brackets, dots and quotes
};

Label parse_label(std::string_view text);

enum class StepKind {
  root,             // a module, a running frame, native code, garbage: `name` says which
  global,           // `name` of module `owner`
  class_attribute,  // `name` of class `owner`
  attribute,        // `name` of an object of type `owner`
  local,            // `name` of function `owner`
  closure,          // `name`, if known, captured by function `owner`
  default_value,    // of function `owner`
  item,             // `name` is how it is written: ['x'], [3]
  traceback,        // of an exception of type `owner`
  exit_callback,    // registered with atexit
  context_variable,
  part,  // a reference without a name
};

struct Step {
  StepKind kind = StepKind::part;
  std::string name;
  std::string owner;
  uint32_t node = 0;  // what it leads to
};

// Steps to the last node of `way`, a sequence of nodes that refer to the next.
std::vector<Step> steps_along(const HeapGraph& heap, const std::vector<uint32_t>& way);

// `Loader` of `pkg.data.Loader`.
std::string short_type(std::string_view type);

}  // namespace tenure::analyze
