// attach/remote_symbols.h: functions that a loaded library exports, read from the library as it lies in another process: no file
// has to be found, and one that was replaced on disk since does not mislead.
// World: beside the program. Pure but for the reading.
#pragma once
#include <cstdint>
#include <string>

#include "attach/target_memory.h"

namespace tenure::attach {

class RemoteSymbols {
 public:
  // `start`: where the file begins in the process.
  RemoteSymbols(const TargetMemory& memory, uint64_t start);

  // Address of a function; 0: it exports none of that name, or only an indirect one.
  uint64_t find(const std::string& name) const;

 private:
  uint64_t absolute(uint64_t pointer) const { return pointer < base_ ? base_ + pointer : pointer; }
  void read_dynamic(uint64_t address, uint64_t bytes);
  uint64_t matching(uint32_t index, const std::string& name) const;

  const TargetMemory& memory_;
  uint64_t base_ = 0;
  uint64_t symbols_ = 0, strings_ = 0, hash_ = 0;
};

}  // namespace tenure::attach
