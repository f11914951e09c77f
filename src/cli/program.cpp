#include "cli/program.h"

#include <elf.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[2] = {};
  file.read(start, sizeof start);
  return start[0] == '#' && start[1] == '!';
}

bool is_static_elf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff) + i * static_cast<int>(sizeof segment));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return false;
    if (segment.p_type == PT_INTERP) return false;
  }
  return true;
}

std::string why_not_seen(const std::string& path) {
  if (is_static_elf(path))
    return fmt::format(
        "{} is a static program: no library can be preloaded into it; link it dynamically to see "
        "its memory",
        path);
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)) &&
      geteuid() != info.st_uid) {
    return fmt::format(
        "{} changes its user when it starts: the system allows no preloaded library there", path);
  }
  return "";
}

Result<std::string> executable(const std::string& typed) {
  bool is_path = typed.find('/') != std::string::npos;
  std::string path = is_path ? typed : find_on_path(typed);
  if (path.empty() || !fs::exists(path)) {
    if (!is_path && fs::exists(typed))
      return Error{fmt::format("cannot run {}: it is not on PATH; say ./{}", typed, typed), 127};
    return Error{fmt::format("cannot run {}: there is no such program", typed), 127};
  }
  if (fs::is_directory(path))
    return Error{fmt::format("cannot run {}: it is a directory", typed), 126};
  if (access(path.c_str(), X_OK) != 0)
    return Error{fmt::format("cannot run {}: it is not executable; try chmod +x {}", typed, typed),
                 126};
  return path;
}

Result<std::vector<std::string>> python_command(const std::vector<std::string>& typed) {
  const std::string& script = typed[0];
  if (!fs::exists(script))
    return Error{fmt::format("cannot run {}: there is no such file", script), 127};
  if (fs::is_directory(script))
    return Error{fmt::format("cannot run {}: it is a directory", script), 126};
  std::string python = find_on_path("python");
  if (python.empty()) python = find_on_path("python3");
  if (python.empty())
    return Error{fmt::format("cannot run {}: there is no python on PATH; name the interpreter, as "
                             "in: tenure run /path/to/python {}",
                             script, script),
                 127};
  std::vector<std::string> command{real_interpreter(python)};
  command.insert(command.end(), typed.begin(), typed.end());
  return command;
}

}  // namespace

std::vector<char*> argument_vector(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

std::string find_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return "";
}

// A wrapper would run dozens of shell processes under the preload before it comes to Python.
std::string real_interpreter(const std::string& python) {
  if (!is_script(python)) return python;
  std::string command =
      fmt::format("'{}' -c 'import sys; print(sys.executable)' 2>/dev/null", python);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return python;
  std::array<char, 4096> line{};
  std::string answer = std::fgets(line.data(), line.size(), pipe) ? line.data() : "";
  int status = pclose(pipe);
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return status == 0 && !answer.empty() && access(answer.c_str(), X_OK) == 0 ? answer : python;
}

Result<Program> resolve_program(const std::vector<std::string>& typed) {
  Program program;
  if (ends_with(typed[0], ".py")) {
    auto command = python_command(typed);
    if (!command) return command.error();
    program.arguments = *command;
  } else {
    auto path = executable(typed[0]);
    if (!path) return path.error();
    program.arguments = typed;
    program.arguments[0] = *path;
  }
  std::string first = fs::path(program.arguments[0]).filename().string();
  if (first.rfind("python", 0) == 0) program.arguments[0] = real_interpreter(program.arguments[0]);
  program.not_seen = why_not_seen(program.arguments[0]);
  return program;
}

std::string record_name(const std::vector<std::string>& arguments) {
  fs::path named = arguments[0];
  if (named.filename().string().rfind("python", 0) == 0) {
    for (const std::string& argument : arguments) {
      if (ends_with(argument, ".py")) {
        named = argument;
        break;
      }
    }
  }
  std::string stem = named.extension() == ".py" ? named.stem().string() : named.filename().string();
  std::string name = stem + ".tenure";
  for (int n = 2; fs::exists(name); ++n) name = fmt::format("{}.{}.tenure", stem, n);
  return name;
}

}  // namespace tenure::cli
