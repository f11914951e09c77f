// attach/target_memory.h: the memory and the mappings of another process.
// World: beside the program. Reading asks the kernel for the right to trace it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tenure::attach {

class TargetMemory {
 public:
  explicit TargetMemory(int pid);
  ~TargetMemory();
  TargetMemory(const TargetMemory&) = delete;
  TargetMemory& operator=(const TargetMemory&) = delete;

  int error() const { return error_; }  // errno of opening it; 0: it is open

  bool read(uint64_t address, void* out, size_t bytes) const;
  bool write(uint64_t address, const void* data, size_t bytes) const;

  // Zero where it cannot be read.
  template <class Value>
  Value value(uint64_t address) const {
    Value value{};
    return read(address, &value, sizeof value) ? value : Value{};
  }

 private:
  int fd_ = -1, error_ = 0;
};

struct Mapping {
  uint64_t start = 0, end = 0, offset = 0;
  bool is_code = false, is_writable = false;
  std::string path;  // as the kernel tells it; empty: anonymous

  bool holds(uint64_t address) const { return address >= start && address < end; }
};

std::vector<Mapping> mappings_of(int pid);  // in the order of their addresses; empty: it is gone

// A file that is mapped as a program or library.
struct LoadedFile {
  std::string path;
  uint64_t start = 0, end = 0;  // of all its mappings

  bool holds(uint64_t address) const { return address >= start && address < end; }
};

std::vector<LoadedFile> loaded_files(const std::vector<Mapping>& mappings);

// The first whose file name begins so: "libc.so", "ld-linux"; nullptr: there is none.
const LoadedFile* find_loaded(const std::vector<LoadedFile>& files, const std::string& name_start);

}  // namespace tenure::attach
