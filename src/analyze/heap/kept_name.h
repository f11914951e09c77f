// analyze/heap/kept_name.h: what the program's code calls a container.
// World: offline. Plain data.
#pragma once
#include <string>

namespace tenure::analyze {

struct KeptName {
  enum class Kind { variable, attribute, cached_function };
  Kind kind = Kind::variable;
  std::string name;
  // Whose it is: the function of a local, the class of an attribute; empty: anybody's.
  std::string owner;
  std::string key;  // of the item, if it is a text: `mse` of `results['mse']`
};

}  // namespace tenure::analyze
