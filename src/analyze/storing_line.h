// analyze/storing_line.h: the line of a Python source that stores into a name: `losses.append(loss)`, `self.cache[k] = v`.
// World: offline. Pure: texts in, a line out. Where two lines could be it, or the name goes by another one too, there is none.
#pragma once
#include <optional>
#include <span>
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

struct SourceText {
  std::string file;
  std::string text;
};

struct StoringLine {
  std::string file;
  int line = 0;
  std::string
      function;  // the innermost one around it, by its qualified name; "<module>" outside of all
};

// The only line in all of these sources that stores into the name.
std::optional<StoringLine> find_storing_line(std::span<const SourceText> sources,
                                             const KeptName& kept);

bool is_mentioned(std::span<const SourceText> sources, const std::string& name);

}  // namespace tenure::analyze
