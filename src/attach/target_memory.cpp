#include "attach/target_memory.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace tenure::attach {
namespace {

std::string file_name(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

TargetMemory::TargetMemory(int pid) {
  fd_ = open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDWR | O_CLOEXEC);
  if (fd_ < 0) error_ = errno;
}

TargetMemory::~TargetMemory() {
  if (fd_ >= 0) close(fd_);
}

bool TargetMemory::read(uint64_t address, void* out, size_t bytes) const {
  return pread64(fd_, out, bytes, static_cast<off64_t>(address)) == static_cast<ssize_t>(bytes);
}

bool TargetMemory::write(uint64_t address, const void* data, size_t bytes) const {
  return pwrite64(fd_, data, bytes, static_cast<off64_t>(address)) == static_cast<ssize_t>(bytes);
}

std::vector<Mapping> mappings_of(int pid) {
  std::vector<Mapping> found;
  std::ifstream file(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(file, line);) {
    Mapping m;
    char rights[5] = {};
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &m.start,
                    &m.end, rights, &m.offset, &path_at) < 4)
      continue;
    m.is_writable = rights[1] == 'w';
    m.is_code = rights[2] == 'x';
    if (path_at > 0 && static_cast<size_t>(path_at) < line.size())
      m.path = line.substr(static_cast<size_t>(path_at));
    found.push_back(std::move(m));
  }
  return found;
}

std::vector<LoadedFile> loaded_files(const std::vector<Mapping>& mappings) {
  std::vector<LoadedFile> files;
  for (const Mapping& mapping : mappings) {
    if (mapping.path.empty() || mapping.path[0] == '[') continue;
    const bool goes_on = !files.empty() && files.back().path == mapping.path && mapping.offset > 0;
    if (goes_on)
      files.back().end = mapping.end;
    else if (mapping.offset == 0)
      files.push_back({mapping.path, mapping.start, mapping.end});
  }
  // Data files are mapped too: a program or library has code.
  std::erase_if(files, [&](const LoadedFile& file) {
    return std::none_of(mappings.begin(), mappings.end(), [&](const Mapping& mapping) {
      return mapping.is_code && file.holds(mapping.start);
    });
  });
  return files;
}

const LoadedFile* find_loaded(const std::vector<LoadedFile>& files, const std::string& name_start) {
  auto found = std::find_if(files.begin(), files.end(), [&](const LoadedFile& file) {
    return file_name(file.path).starts_with(name_start);
  });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace tenure::attach
