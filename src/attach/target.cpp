#include "attach/target.h"

#include <elf.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "attach/remote_symbols.h"
#include "attach/target_memory.h"
#include "base/sanitized.h"
#include "ledger/layout.h"

namespace tenure::attach {
namespace {

using Status = std::map<std::string, std::string>;

std::string proc(int pid, const char* name) { return fmt::format("/proc/{}/{}", pid, name); }

Status status_of(int pid) {
  Status status;
  std::ifstream file(proc(pid, "status"));
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const size_t value = line.find_first_not_of(" \t", colon + 1);
    status[line.substr(0, colon)] = value == std::string::npos ? "" : line.substr(value);
  }
  return status;
}

int number(const Status& status, const char* name) {
  auto entry = status.find(name);
  return entry == status.end() ? 0 : std::atoi(entry->second.c_str());
}

std::string text(const Status& status, const char* name) {
  auto entry = status.find(name);
  return entry == status.end() ? "" : entry->second;
}

// What kind of process it is, whoever asks. Empty: an ordinary one.
std::string why_not_this_one(int pid, const Status& status) {
  const char state = text(status, "State")[0];
  if (const int group = number(status, "Tgid"); group != pid)
    return fmt::format("{} is a thread of process {}: attach to {}", pid, group, group);
  if (state == 'Z' || state == 'X')
    return fmt::format("process {} has ended; its parent has not asked yet how", pid);
  if (!status.contains("VmSize"))
    return fmt::format("process {} is a thread of the kernel: it has no memory of its own", pid);
  if (const int tracer = number(status, "TracerPid"); tracer != 0)
    return fmt::format(
        "process {} is traced by process {} already, as by a debugger or strace: end that first",
        pid, tracer);
  if (state == 'T')
    return fmt::format("process {} is stopped: let it go on first, as with kill -CONT {}", pid,
                       pid);
  if (number(status, "Seccomp") != 0)
    return fmt::format(
        "process {} has locked itself in (seccomp): it may make no new connection; start it with "
        "tenure run",
        pid);
  if (text(status, "x86_Thread_features").find("shstk") != std::string::npos)
    return fmt::format(
        "process {} runs with a shadow stack, which lets nobody call into it; start it with tenure "
        "run",
        pid);
  return "";
}

std::string why_not_permitted(int pid, const Status& status) {
  const int user = number(status, "Uid");
  if (geteuid() != 0 && static_cast<uid_t>(user) != geteuid())
    return fmt::format(
        "process {} belongs to another user (uid {}): attach as that user or as root", pid, user);
  int scope = 0;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  if (scope == 3)
    return "this machine lets nobody trace a process (kernel.yama.ptrace_scope is 3); start the "
           "program with tenure run";
  if (scope > 0 && geteuid() != 0)
    return fmt::format(
        "this machine lets only root trace a process (kernel.yama.ptrace_scope is {}): attach as "
        "root, or start the program with tenure run",
        scope);
  return fmt::format(
      "the system does not permit to trace process {}: attach as root with CAP_SYS_PTRACE, or "
      "start "
      "it with tenure run",
      pid);
}

// What can be told of the program and its libraries by name.
std::string why_not_this_program(int pid, const TargetMemory& memory,
                                 const std::vector<LoadedFile>& files) {
  if (files.empty()) return fmt::format("process {} has ended", pid);
  const auto header = memory.value<Elf64_Ehdr>(files.front().start);
  const bool is_wide =
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_wide || header.e_machine != ledger::kArchitecture)
    return fmt::format(
        "process {} is a program for another kind of machine than Tenure's library, as one of 32 "
        "bits is",
        pid);
  if (find_loaded(files, "ld-musl"))
    return fmt::format("process {} uses musl; glibc is the only C library that Tenure knows", pid);
  if (!find_loaded(files, "libc.so.6") && !find_loaded(files, "libc-2."))
    return fmt::format(
        "process {} is a static program, or uses another C library than glibc: no library can be "
        "loaded into it",
        pid);
  for (const LoadedFile& file : files) {
    if (names_sanitizer(file.path.c_str()))
      return fmt::format("process {} runs with a sanitizer ({}), which has a heap of its own", pid,
                         file.path);
  }
  return "";
}

// Of another heap Tenure cannot tell whether a thread is inside it.
std::string why_not_its_heap(int pid, const TargetMemory& memory,
                             const std::vector<LoadedFile>& files) {
  for (const LoadedFile& file : files) {
    constexpr const char* kKnown[] = {"libc.so.6", "libc-2.", "ld-", "libtenure",
                                      "memfd:libtenure"};
    const bool is_known = std::any_of(std::begin(kKnown), std::end(kKnown), [&](const char* name) {
      return &file == find_loaded(files, name);
    });
    if (is_known) continue;
    if (RemoteSymbols(memory, file.start).find("malloc"))
      return fmt::format(
          "process {} has a malloc of its own ({}); start it with tenure run --observe instead",
          pid, file.path);
  }
  return "";
}

bool is_another(int pid, const char* what) {
  struct stat ours{}, theirs{};
  const std::string own = fmt::format("/proc/self/{}", what);
  return stat(own.c_str(), &ours) == 0 && stat(proc(pid, what).c_str(), &theirs) == 0 &&
         (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}

}  // namespace

Result<Target> examine(int pid) {
  const Status status = status_of(pid);
  if (status.empty()) return Error{fmt::format("there is no process {}", pid), 2};
  if (pid == getpid()) return Error{"Tenure cannot attach to itself", 2};
  std::string why = why_not_this_one(pid, status);
  if (!why.empty()) return Error{why, 2};
  const TargetMemory memory(pid);
  if (memory.error() == EACCES || memory.error() == EPERM)
    return Error{why_not_permitted(pid, status), 2};
  const std::vector<LoadedFile> files = loaded_files(mappings_of(pid));
  why = why_not_this_program(pid, memory, files);
  if (why.empty()) why = why_not_its_heap(pid, memory, files);
  if (!why.empty()) return Error{why, 2};
  return Target{pid, is_another(pid, "ns/mnt") || is_another(pid, "root"),
                is_another(pid, "ns/net")};
}

}  // namespace tenure::attach
