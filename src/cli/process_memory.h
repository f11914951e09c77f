// cli/process_memory.h: what the kernel says of a process, of its memory and of the machine's.
// World: offline, beside the program.
#pragma once
#include <sys/resource.h>

#include <optional>
#include <vector>

#include "record/record.h"

namespace tenure::cli {

std::optional<record::ResidentMemory> resident_memory(int pid);  // none: the process is gone
uint64_t anonymous_memory(int pid);                              // resident; 0: it is gone
std::optional<record::PageMoment> page_moment(int pid);          // its tick is not filled in
uint64_t processor_ns(int pid);                                  // used so far; 0 if not told
uint64_t processor_ns(const rusage& usage);
uint64_t own_processor_ns();  // of this process
// Anonymous mappings of at least so many resident bytes. Takes a millisecond for some hundred MiB.
std::vector<record::MappingHistory> large_mappings(int pid, uint64_t least_resident);
uint64_t available_memory();  // of the machine; 0 if not told

bool is_stopped(int pid);
uint64_t start_of(
    int pid);  // in clock ticks since boot: tells a process from a later one of its number; 0: gone

// Number of OOM kills the kernel has counted in our cgroup so far; 0 where it does not count.
uint64_t oom_kills();

}  // namespace tenure::cli
