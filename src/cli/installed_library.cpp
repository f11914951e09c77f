#include "cli/installed_library.h"

#include <fmt/core.h>

#include <filesystem>

#include "cli/program.h"

namespace tenure::cli {
namespace fs = std::filesystem;

std::string installed_library() {
  const fs::path own = own_path();
  return (own.parent_path().parent_path() / "lib" / "libtenure.so").string();
}

Result<bool> check_library(const std::string& library) {
  std::error_code failure;
  if (!fs::exists(library, failure))
    return Error{fmt::format("the library {} is missing; build or install Tenure again", library),
                 2};
  if (library.find_first_of(" :") != std::string::npos)
    return Error{fmt::format("the loader cannot preload {}: install Tenure in a folder without "
                             "spaces and colons in its name",
                             library),
                 2};
  return true;
}

}  // namespace tenure::cli
