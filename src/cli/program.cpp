#include "cli/program.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/sanitized.h"
#include "ledger/layout.h"
#include "ledger/protocol.h"

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

enum class Kind { script_or_other, dynamic, fixed, other_machine, other_libc, sanitized };

bool is_sanitized(const std::string& path) {
  const char* preload = std::getenv(ledger::kPreloadVariable);
  if (preload && names_sanitizer(preload)) return true;
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto read = [fd](void* to, size_t bytes, uint64_t at) {
    return pread(fd, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  };
  bool answer = fd >= 0 && SanitizedProgram(read).is_sanitized();
  if (fd >= 0) close(fd);
  return answer;
}

// What the loader will make of the file.
Kind kind_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return Kind::script_or_other;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != ledger::kArchitecture)
    return Kind::other_machine;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff) + i * static_cast<int>(sizeof segment));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) break;
    if (segment.p_type != PT_INTERP) continue;
    std::string loader(std::min<size_t>(segment.p_filesz, 4096), '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(loader.data(), static_cast<std::streamsize>(loader.size()));
    if (loader.find("ld-linux") == std::string::npos) return Kind::other_libc;
    return is_sanitized(path) ? Kind::sanitized : Kind::dynamic;
  }
  return Kind::fixed;
}

bool changes_user(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)) &&
         geteuid() != info.st_uid;
}

std::string why_not_seen(const std::string& path, Kind kind) {
  if (kind == Kind::fixed)
    return fmt::format(
        "{} is a static program: no library can be preloaded into it; link it dynamically to see "
        "its memory",
        path);
  if (kind == Kind::other_machine)
    return fmt::format("{} is built for another kind of machine than Tenure's library", path);
  if (kind == Kind::other_libc)
    return fmt::format("{} uses another C library than glibc, the only one Tenure knows", path);
  if (kind == Kind::sanitized)
    return fmt::format(
        "{} runs with a sanitizer, which allows no library before its own; Tenure sees it when it "
        "is built without",
        path);
  if (changes_user(path))
    return fmt::format(
        "{} changes its user when it starts: the system allows no preloaded library there", path);
  return "";
}

Result<std::string> executable(const std::string& typed) {
  bool is_path = typed.find('/') != std::string::npos;
  std::string path = is_path ? typed : find_on_path(typed);
  std::error_code unreadable;
  if (path.empty() || !fs::exists(path, unreadable)) {
    if (!is_path && fs::exists(typed, unreadable))
      return Error{fmt::format("cannot run {}: it is not on PATH; say ./{}", typed, typed), 127};
    return Error{fmt::format("cannot run {}: there is no such program", typed), 127};
  }
  if (fs::is_directory(path, unreadable))
    return Error{fmt::format("cannot run {}: it is a directory", typed), 126};
  if (access(path.c_str(), X_OK) != 0)
    return Error{fmt::format("cannot run {}: it is not executable; try chmod +x {}", typed, typed),
                 126};
  return path;
}

Result<std::vector<std::string>> python_command(const std::vector<std::string>& typed) {
  const std::string& script = typed[0];
  std::error_code unreadable;
  if (!fs::exists(script, unreadable))
    return Error{fmt::format("cannot run {}: there is no such file", script), 127};
  if (fs::is_directory(script, unreadable))
    return Error{fmt::format("cannot run {}: it is a directory", script), 126};
  std::string python = find_on_path("python");
  if (python.empty()) python = find_on_path("python3");
  if (python.empty())
    return Error{fmt::format("cannot run {}: there is no python on PATH; name the interpreter, as "
                             "in: tenure run /path/to/python {}",
                             script, script),
                 127};
  std::vector<std::string> command{python};
  command.insert(command.end(), typed.begin(), typed.end());
  return command;
}

// In single quotes; a single quote inside ends them, stands alone behind a backslash, and begins them again.
std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool is_python(const std::string& path) {
  return fs::path(path).filename().string().rfind("python", 0) == 0;
}

}  // namespace

std::vector<char*> argument_vector(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

std::string own_path() {
  std::error_code failure;
  fs::path own = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) return own.string();
  const char* typed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  own = typed ? fs::canonical(typed, failure) : fs::path();
  return failure ? "" : own.string();
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
      fmt::format("{} -c 'import sys; print(sys.executable)' 2>/dev/null", shell_quoted(python));
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return python;
  std::array<char, 4096> line{};
  std::string answer = std::fgets(line.data(), line.size(), pipe) ? line.data() : "";
  int status = pclose(pipe);
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return status == 0 && !answer.empty() && access(answer.c_str(), X_OK) == 0 ? answer : python;
}

Result<Program> resolve_program(const std::vector<std::string>& typed) {
  Program program{"", typed, "", true};
  if (ends_with(typed[0], ".py")) {
    auto command = python_command(typed);
    if (!command) return command.error();
    program.arguments = *command;
    program.path = program.arguments[0];
  } else {
    auto path = executable(typed[0]);
    if (!path) return path.error();
    program.path = *path;
  }
  if (std::string real = program.path; is_python(real)) {
    real = real_interpreter(real);
    if (real != program.path) program.arguments[0] = program.path = real;
  }
  Kind kind = kind_of(program.path);
  program.not_seen = why_not_seen(program.path, kind);
  program.is_preloadable =
      kind != Kind::other_machine && kind != Kind::other_libc && kind != Kind::sanitized;
  return program;
}

std::string record_name(const std::vector<std::string>& arguments, int number) {
  fs::path named = arguments[0];
  if (is_python(named)) {
    for (const std::string& argument : arguments) {
      if (ends_with(argument, ".py")) {
        named = argument;
        break;
      }
    }
  }
  std::string stem = named.extension() == ".py" ? named.stem().string() : named.filename().string();
  return number > 1 ? fmt::format("{}.{}.tenure", stem, number) : stem + ".tenure";
}

}  // namespace tenure::cli
