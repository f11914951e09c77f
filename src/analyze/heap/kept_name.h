// analyze/heap/kept_name.h: what the program's code calls a container.
// World: offline. Plain data.
#pragma once
#include <string>
#include <vector>

namespace tenure::analyze {

struct KeptName {
  enum class Kind { variable, attribute, cached_function };
  Kind kind = Kind::variable;
  std::string name;
  // Whose it is: the function of a local, the class of an attribute; empty: anybody's.
  std::string owner;
  std::string key;           // of the item, if it is a text: `mse` of `results['mse']`
  bool is_of_owner = false;  // not of the holder, but of an object that it is inside of
  bool is_graph = false;     // a tensor with its gradient graph: made anew from itself, it grows
};

// What is known of the way to the blocks, to tell the call that gave them to a library.
struct KeptClues {
  std::vector<std::string> types;        // of the objects on it
  std::vector<std::string> functions;    // on it, by their bare names
  std::vector<std::string> makers;       // functions of the library that put things there
  std::vector<std::string> own_classes;  // of the program
  std::vector<std::string> own_methods;  // of such classes on the way: these are no library's
  std::string module;                    // of a library, where it begins
};

}  // namespace tenure::analyze
