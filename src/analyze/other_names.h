// analyze/other_names.h: what a container is called elsewhere in the sources: the parameter it is handed to, the name or
// attribute it is given to, what the function that returned it calls it.
// World: offline. Pure. Nothing where two functions could be meant.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analyze/python_source.h"

namespace tenure::analyze {

struct KeptName {
  enum class Kind { variable, attribute, cached_function };
  Kind kind = Kind::variable;
  std::string name;
  // Whose it is: the function of a local, the class of an attribute; empty: anybody's.
  std::string owner;
  std::string key;  // of the item, if it is a text: `mse` of `results['mse']`
};

// One place where a source says the name: `self.log` from `start` to `end`.
struct Mention {
  const PythonSource& source;
  size_t line;
  size_t start, end;
};

// `keep(log)`, `self.log = log`, `other = log`, or `log = watch(model)`: the same thing.
std::optional<KeptName> other_name(std::span<const PythonSource> sources, const Mention& mention);

// `rows = log['train']`, `rows = log.setdefault(name, [])`: an item of it.
std::optional<KeptName> name_of_item(const Mention& mention);

}  // namespace tenure::analyze
