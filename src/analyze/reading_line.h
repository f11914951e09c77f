// analyze/reading_line.h: the line of a Python function that reads a name: `text = self.captions[i]`, `for row in rows:`.
// World: offline. Reads the source; asks for no more than its shape.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analyze/storing_line.h"

namespace tenure::analyze {

// Whether the line reads what the name holds. Asking for its length reads nothing of it.
bool reads_name(std::string_view line, const KeptName& name);

// A line of a function's body, without its head.
struct FunctionLine {
  int line = 0;
  int first_line = 0;  // of the innermost function around it, decorators included
  std::string function;
  std::string text;
};

std::vector<FunctionLine> lines_of_functions(const std::string& source);

}  // namespace tenure::analyze
