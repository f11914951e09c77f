// analyze/storing_line.h: the line of a Python source that stores into a name: `losses.append(loss)`, `self.cache[k] = v`.
// World: offline. Pure: texts in, a line out. Where two lines could be it, or it goes by names that cannot be followed,
// there is none.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analyze/other_names.h"

namespace tenure::analyze {

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
