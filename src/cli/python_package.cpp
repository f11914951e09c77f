#include "cli/python_package.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/program.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

// The package's own path comes before what else may be installed under its name.
constexpr char kStart[] =
    "import runpy, sys; sys.path.insert(0, sys.argv[1]); module = sys.argv[2]; "
    "sys.argv[:3] = [module]; runpy.run_module(module, run_name='__main__')";

fs::path folder_of_program() {
  std::error_code failure;
  return fs::read_symlink("/proc/self/exe", failure).parent_path();
}

// Below it is `tenure`; empty: the package is not there.
fs::path package_parent(const fs::path& bin) {
  const fs::path places[] = {bin / "../python",     // installed
                             bin / "../../..",      // the wheel: tenure/_native/bin
                             bin / "../../python",  // build/bin of the source tree
                             bin / "../../../python"};
  for (const fs::path& place : places) {
    std::error_code failure;
    if (fs::exists(place / "tenure" / "fleet" / "schema.py", failure))
      return fs::weakly_canonical(place, failure);
  }
  return {};
}

// lib/pythonX.Y/site-packages/tenure/_native/bin -> bin/python
std::string environments_python(const fs::path& package) {
  const fs::path prefix = package / "../../..";
  for (const char* name : {"bin/python", "bin/python3"}) {
    const fs::path python = (prefix / name).lexically_normal();
    if (package.filename() == "site-packages" && access(python.c_str(), X_OK) == 0) return python;
  }
  return "";
}

std::string interpreter(const std::string& asked, const fs::path& package) {
  if (asked.find('/') != std::string::npos) return asked;
  if (!asked.empty()) return find_on_path(asked);
  std::string python = environments_python(package);
  if (python.empty()) python = find_on_path("python3");
  return python.empty() ? find_on_path("python") : python;
}

}  // namespace

Result<int> run_python_module(const std::string& module, const std::vector<std::string>& words,
                              const std::string& python) {
  const fs::path package = package_parent(folder_of_program());
  if (package.empty())
    return Error{"the Python package of Tenure is not beside this program: install the wheel", 2};
  const std::string path = interpreter(python, package);
  if (path.empty() || access(path.c_str(), X_OK) != 0)
    return Error{fmt::format("there is no interpreter `{}`; name one with --python",
                             python.empty() ? "python3" : python),
                 2};
  std::vector<std::string> command = {path, "-c", kStart, package.string(), module};
  command.insert(command.end(), words.begin(), words.end());
  const pid_t child = fork();
  if (child == 0) {
    execv(path.c_str(), argument_vector(command).data());
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
    return Error{fmt::format("{} could not be run to its end", path), 2};
  return WEXITSTATUS(status);
}

}  // namespace tenure::cli
