#include "cli/process_memory.h"

#include <fmt/core.h>

#include <algorithm>
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
