// cli/program.h: from what the user typed to what can be executed.
// World: offline.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace tenure::cli {

struct Program {
  std::string path;                    // of what is executed
  std::vector<std::string> arguments;  // as the program sees them: [0] is what the user typed
  std::string not_seen;        // why a preloaded library cannot get into it; empty if it can
  bool is_preloadable = true;  // false: the library would only bring complaints
};

// A .py file is run by the `python` on PATH; anything else as it is. Errors carry the shell's codes: 127, 126.
Result<Program> resolve_program(const std::vector<std::string>& typed);

// The words as execv wants them; they must live as long as the result.
std::vector<char*> argument_vector(const std::vector<std::string>& words);

// Finds an executable on PATH; empty if there is none.
// This program's own file, also where there is no /proc. Empty: it cannot be known.
std::string own_path();

std::string find_on_path(const std::string& name);

// The interpreter behind a version manager's wrapper script; the path itself if it is one.
std::string real_interpreter(const std::string& python);

// Name of the record for a program: `train.tenure` for `python train.py`; `train.2.tenure` beside one that is being written.
std::string record_name(const std::vector<std::string>& arguments, int number);

}  // namespace tenure::cli
