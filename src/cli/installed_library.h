// cli/installed_library.h: the library that goes into programs, where it was installed beside this one.
// World: offline.
#pragma once
#include <string>

#include "base/result.h"

namespace tenure::cli {

std::string installed_library();

// Whether the loader can take it from there.
Result<bool> check_library(const std::string& library);

}  // namespace tenure::cli
