// cli/process_memory.h: what the kernel says of a process's and the machine's memory.
// World: offline, beside the program.
#pragma once
#include <optional>

#include "analyze/record.h"

namespace tenure::cli {

std::optional<analyze::ResidentMemory> resident_memory(int pid);  // none: the process is gone
uint64_t available_memory();                                      // of the machine; 0 if not told

// Number of OOM kills the kernel has counted in our cgroup so far; 0 where it does not count.
uint64_t oom_kills();

}  // namespace tenure::cli
