// inproc/os/files.h: reads small files of /proc.
// World: inside. Any thread; raw system calls, no heap.
#pragma once
#include <cstdint>

namespace tenure::inproc {

// The first bytes of a file; how many there are. 0 as well where it cannot be read. Changes errno.
uint32_t read_file(const char* path, char* out, uint32_t capacity) noexcept;

// What the kernel says of this process; zeros where it may not be asked, as in a sandbox. Changes errno.
struct ResidentMemory {
  uint64_t all_bytes;
  uint64_t file_bytes;  // of these: files and shared memory
};
ResidentMemory resident_memory() noexcept;

}  // namespace tenure::inproc
