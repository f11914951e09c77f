// cli/kernel.cpp: `tenure kernel install` and `remove`: a kernel of Jupyter whose notebooks run under `tenure run`.
#include <fmt/core.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/program.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "ledger/protocol.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kFile[] = "kernel.json";
constexpr char kMark[] = "tenure";  // in the metadata of kernels that are ours

int fail(const std::string& sentence) {
  say_line(sentence);
  return 2;
}

// What the interpreter says of itself.
struct Interpreter {
  std::string path, prefix;
  bool has_kernels = false;
};

constexpr char kQuestion[] =
    "import importlib.util as u, sys; "
    "print(sys.executable); print(sys.prefix); "
    "print(int(u.find_spec('ipykernel') is not None))";

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::vector<std::string> answer_lines(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return lines;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe)) {
    lines.emplace_back(line);
    while (!lines.back().empty() && lines.back().back() == '\n') lines.back().pop_back();
  }
  if (pclose(pipe) != 0) lines.clear();
  return lines;
}

std::string interpreter_named(const std::string& asked) {
  if (asked.find('/') != std::string::npos) return asked;
  if (!asked.empty()) return find_on_path(asked);
  const std::string python = find_on_path("python");
  return python.empty() ? find_on_path("python3") : python;
}

std::optional<Interpreter> ask_interpreter(const std::string& python) {
  setenv(ledger::kLeaveOutVariable, "1", 1);
  const auto lines =
      answer_lines(fmt::format("{} -c {} 2>/dev/null", quoted(python), quoted(kQuestion)));
  unsetenv(ledger::kLeaveOutVariable);
  if (lines.size() != 3 || lines[0].empty()) return std::nullopt;
  return Interpreter{lines[0], lines[1], lines[2] == "1"};
}

std::optional<Interpreter> asked_interpreter(const KernelOptions& options) {
  const std::string named = interpreter_named(options.python);
  return named.empty() ? std::nullopt : ask_interpreter(named);
}

std::string from_environment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

// Where Jupyter looks for what a user has installed; empty where there is no home.
fs::path users_folder() {
  if (std::string data = from_environment("JUPYTER_DATA_DIR"); !data.empty()) return data;
  if (std::string data = from_environment("XDG_DATA_HOME"); !data.empty())
    return fs::path(data) / "jupyter";
  const std::string home = from_environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".local" / "share" / "jupyter";
}

fs::path kernels_folder(const KernelOptions& options, const std::string& prefix) {
  fs::path data = users_folder();
  if (!options.prefix.empty()) data = fs::absolute(options.prefix) / "share" / "jupyter";
  if (options.is_beside_interpreter) data = fs::path(prefix) / "share" / "jupyter";
  return data.empty() ? data : data / "kernels" / options.name;
}

bool is_good_name(const std::string& name) {
  for (char c : name) {
    const bool is_word =
        std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
    if (!is_word) return false;
  }
  return !name.empty() && name[0] != '.';
}

bool is_ours(const fs::path& folder) {
  std::ifstream file(folder / kFile);
  const Json spec = Json::parse(file, nullptr, false);
  if (!spec.is_object()) return false;
  const auto metadata = spec.find("metadata");
  return metadata != spec.end() && metadata->is_object() && metadata->contains(kMark);
}

Json words_of_kernel(const KernelOptions& options, const Interpreter& python) {
  Json words = {own_path(), "run"};
  if (!options.keeps_record) words.push_back("--no-report");
  if (!options.keeps_source) words.push_back("--no-source");
  for (const std::string& word :
       {std::string("--"), python.path, std::string("-m"), std::string("ipykernel_launcher"),
        std::string("-f"), std::string("{connection_file}")})
    words.push_back(word);
  return words;
}

// Into place in one step: Jupyter may be reading. Empty, or why not.
std::string write_kernel(const fs::path& folder, const Json& spec) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return problem.message();
  const fs::path scratch = folder / (std::string(kFile) + ".new");
  std::ofstream file(scratch);
  file << spec.dump(1) << "\n";
  file.close();
  if (!file) return std::strerror(errno);
  fs::rename(scratch, folder / kFile, problem);
  return problem ? problem.message() : "";
}

// Why nothing can be done with these options; empty: something can.
std::string problem_with(const KernelOptions& options) {
  if (options.is_beside_interpreter && !options.prefix.empty())
    return "--prefix and --sys-prefix name two folders; leave one of them out";
  if (!is_good_name(options.name))
    return fmt::format("`{}` is no name for a kernel: letters, digits, `-`, `.` and `_` only",
                       options.name);
  return "";
}

std::string no_interpreter(const KernelOptions& options) {
  if (options.python.empty())
    return "there is no python on PATH; name the interpreter, as in: tenure kernel install "
           "--python /path/to/python";
  return fmt::format("{} is no Python that answers", options.python);
}

std::string is_of_others(const fs::path& folder) {
  return fmt::format("{} is the kernel of somebody else; choose another name with --name",
                     folder.string());
}

int install_kernel(const KernelOptions& options) {
  const auto python = asked_interpreter(options);
  if (!python) return fail(no_interpreter(options));
  if (!python->has_kernels)
    return fail(
        fmt::format("{0} has no ipykernel, without which it cannot run notebooks. Try: {0} "
                    "-m pip install ipykernel",
                    python->path));
  const fs::path folder = kernels_folder(options, python->prefix);
  if (folder.empty()) return fail("HOME is not set; name a folder with --prefix");
  if (fs::exists(folder / kFile) && !is_ours(folder)) return fail(is_of_others(folder));
  const Json spec = {{"argv", words_of_kernel(options, *python)},
                     {"display_name", options.display_name},
                     {"language", "python"},
                     {"metadata", {{"debugger", true}, {kMark, true}}}};
  if (std::string problem = write_kernel(folder, spec); !problem.empty())
    return fail(fmt::format("{} cannot be written: {}; name another place with --prefix",
                            folder.string(), problem));
  fmt::print("installed the kernel \"{}\" in {}\n", options.display_name, folder.string());
  fmt::print("choose it in Jupyter, then: %load_ext tenure\n");
  return 0;
}

int remove_kernel(const KernelOptions& options) {
  std::string prefix;
  if (options.is_beside_interpreter) {
    const auto python = asked_interpreter(options);
    if (!python) return fail(no_interpreter(options));
    prefix = python->prefix;
  }
  const fs::path folder = kernels_folder(options, prefix);
  if (folder.empty() || !fs::exists(folder / kFile))
    return fail(
        fmt::format("there is no kernel {} in {}", options.name, folder.parent_path().string()));
  if (!is_ours(folder)) return fail(is_of_others(folder));
  std::error_code problem;
  fs::remove(folder / kFile, problem);
  if (problem)
    return fail(fmt::format("{} cannot be removed: {}", folder.string(), problem.message()));
  fs::remove(folder, problem);  // other files in it stay
  fmt::print("removed the kernel {} from {}\n", options.name, folder.parent_path().string());
  return 0;
}

}  // namespace

int kernel(const KernelOptions& options) {
  if (std::string problem = problem_with(options); !problem.empty()) return fail(problem);
  return options.action == "remove" ? remove_kernel(options) : install_kernel(options);
}

}  // namespace tenure::cli
