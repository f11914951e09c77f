// cli/python_package.h: what the program has done by the Python package beside it: datasets and SQL (python/tenure/fleet).
// World: offline.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace tenure::cli {

// `python -m MODULE WORDS` of the package that belongs to this program; gives its exit code. `python`: empty for that of the
// environment that Tenure is installed in, else the one on PATH.
Result<int> run_python_module(const std::string& module, const std::vector<std::string>& words,
                              const std::string& python);

}  // namespace tenure::cli
