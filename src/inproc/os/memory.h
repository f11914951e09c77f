// inproc/os/memory.h: the memory Tenure uses inside the program: its own mappings, never the program's heap.
// World: inside. Any thread. Every mapping is counted in own_bytes().
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure::inproc {

// Zeroed pages, or nullptr. Raw system call: our own mmap hook does not see it.
void* map_pages(size_t bytes) noexcept;
void unmap_pages(void* p, size_t bytes) noexcept;

// Gives the pages back and makes them zero again; the range stays mapped.
void zero_pages(void* p, size_t bytes) noexcept;

// A page that reads as zero in a forked child. nullptr where the kernel cannot do it.
void* map_wiped_on_fork() noexcept;

// Makes shared pages exist now, so that touching them later cannot raise SIGBUS. False: the kernel refused.
bool populate(void* p, size_t bytes) noexcept;

uint64_t own_bytes() noexcept;

}  // namespace tenure::inproc
