#include "cli/process_memory.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace tenure::cli {
namespace {

// "Name:   123 kB" lines as bytes.
template <class Take>
bool each_line(const std::string& path, Take take) {
  std::ifstream file(path);
  if (!file) return false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    uint64_t kib = 0;
    if (words >> name >> kib) take(name, kib * 1024);
  }
  return true;
}

// The fields of /proc/PID/stat from the third on: the second is a name in parentheses that may hold anything.
std::vector<std::string> stat_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  std::istringstream words(line.substr(std::min(line.rfind(')') + 1, line.size())));
  return {std::istream_iterator<std::string>(words), {}};
}

std::string cgroup_of_this_process() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::", 0) == 0) return "/sys/fs/cgroup" + line.substr(3);
    size_t memory = line.find(":memory:");
    if (memory != std::string::npos) return "/sys/fs/cgroup/memory" + line.substr(memory + 8);
  }
  return "/sys/fs/cgroup";
}

}  // namespace

std::optional<record::ResidentMemory> resident_memory(int pid) {
  record::ResidentMemory r;
  bool there =
      each_line(fmt::format("/proc/{}/status", pid), [&](const std::string& name, uint64_t bytes) {
        if (name == "VmRSS:") r.total = bytes;
        if (name == "VmHWM:") r.peak = bytes;
        if (name == "RssAnon:") r.anonymous = bytes;
        if (name == "RssFile:") r.file = bytes;
        if (name == "RssShmem:") r.shared = bytes;
        if (name == "VmStk:") r.stack = bytes;
      });
  if (!there || r.total == 0) return std::nullopt;  // a zombie has a status, but no memory
  return r;
}

// Asked often: /proc/PID/statm takes a tenth of the time of its status.
uint64_t anonymous_memory(int pid) {
  char text[128] = {};
  const int fd = open(fmt::format("/proc/{}/statm", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  unsigned long resident = 0, files_and_shared = 0;
  if (n <= 0 || sscanf(text, "%*u %lu %lu", &resident, &files_and_shared) != 2) return 0;
  static const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return resident > files_and_shared ? (resident - files_and_shared) * page : 0;
}

std::optional<record::PageMoment> page_moment(int pid) {
  constexpr size_t kMinorFaults = 7;
  record::PageMoment m;
  bool there = each_line(fmt::format("/proc/{}/smaps_rollup", pid),
                         [&](const std::string& name, uint64_t bytes) {
                           if (name == "Private_Dirty:") m.own = bytes;
                           if (name == "Shared_Dirty:") m.shared = bytes;
                           if (name == "Anonymous:") m.anonymous = bytes;
                         });
  std::vector<std::string> fields = stat_of(pid);
  if (!there || m.anonymous == 0 || fields.size() <= kMinorFaults) return std::nullopt;
  m.faults = std::strtoull(fields[kMinorFaults].c_str(), nullptr, 10);
  return m;
}

uint64_t processor_ns(int pid) {
  clockid_t clock;
  timespec used{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

uint64_t processor_ns(const rusage& usage) {
  auto micro = static_cast<uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  auto seconds = static_cast<uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  return seconds * 1'000'000'000 + micro * 1000;
}

uint64_t own_processor_ns() { return processor_ns(getpid()); }

// A mapping begins with "START-END rights offset device inode name"; lines with its figures follow.
std::vector<record::MappingHistory> large_mappings(int pid, uint64_t least_resident) {
  std::vector<record::MappingHistory> found;
  std::ifstream file(fmt::format("/proc/{}/smaps", pid));
  record::MappingHistory now;
  for (std::string line; std::getline(file, line);) {
    unsigned long start = 0, end = 0, kib = 0;
    int name_at = 0;
    if (sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &name_at) == 2) {
      const size_t at = std::min(line.size(), static_cast<size_t>(name_at));
      now = {start, end - start, line.substr(at), {}};
    } else if (sscanf(line.c_str(), "Anonymous: %lu kB", &kib) == 1 &&
               kib * 1024 >= least_resident) {
      now.resident = {kib * 1024};
      found.push_back(now);
    }
  }
  return found;
}

bool is_stopped(int pid) {
  std::vector<std::string> fields = stat_of(pid);
  return !fields.empty() && fields[0] == "T";
}

uint64_t start_of(int pid) {
  constexpr size_t kStartTime = 19;
  std::vector<std::string> fields = stat_of(pid);
  if (fields.size() <= kStartTime || fields[0] == "Z") return 0;
  return std::strtoull(fields[kStartTime].c_str(), nullptr, 10);
}

uint64_t available_memory() {
  uint64_t available = 0;
  each_line("/proc/meminfo", [&](const std::string& name, uint64_t bytes) {
    if (name == "MemAvailable:") available = bytes;
  });
  return available;
}

uint64_t oom_kills() {
  std::string group = cgroup_of_this_process();
  for (const char* file : {"/memory.events", "/memory.oom_control"}) {
    std::ifstream events(group + file);
    std::string name;
    for (uint64_t count = 0; events >> name >> count;) {
      if (name == "oom_kill") return count;
    }
  }
  return 0;
}

}  // namespace tenure::cli
