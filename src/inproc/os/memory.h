// inproc/os/memory.h: the memory Tenure uses inside the program: its own mappings, never the program's heap.
// World: inside. Any thread. Every mapping is known to own_resident_bytes().
#pragma once
#include <errno.h>

#include <cstddef>
#include <cstdint>

namespace tenure::inproc {

// The program must not find another errno than it left.
class ErrnoKeeper {
 public:
  ErrnoKeeper() noexcept : saved_(errno) {}
  ~ErrnoKeeper() { errno = saved_; }
  ErrnoKeeper(const ErrnoKeeper&) = delete;
  ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

 private:
  int saved_;
};

// Zeroed pages, or nullptr. Raw system call: our own mmap hook does not see it. Never huge pages: most tables are sparse,
// and one touched entry must not become 2 MiB of the program's memory.
void* map_pages(size_t bytes) noexcept;
void unmap_pages(void* p, size_t bytes) noexcept;

// Gives the pages back and makes them zero again; the range stays mapped.
void zero_pages(void* p, size_t bytes) noexcept;

// Gives the pages back for good, but leaves zeros there for whoever still reads them.
void retire_pages(void* p, size_t bytes) noexcept;

// A page that reads as zero in a forked child. nullptr where the kernel cannot do it.
void* map_wiped_on_fork() noexcept;

// Copies what lies at an address that may lead nowhere: the system does it, so that this is an answer and no fault. Bytes
// copied.
size_t read_memory(uint64_t address, void* out, size_t bytes) noexcept;
// The same to an address that may not be written to.
size_t write_memory(uint64_t address, const void* data, size_t bytes) noexcept;

// Makes shared pages exist now, so that touching them later cannot raise SIGBUS. False: the kernel refused.
bool populate(void* p, size_t bytes) noexcept;

// How much of [p, p + bytes) is in memory: touched, and not given back. Cost: about 10 ns a page. `p` is page-aligned.
uint64_t resident_bytes(const void* p, size_t bytes) noexcept;

// Address space of everything map_pages gave out; most of it is never touched.
uint64_t own_mapped_bytes() noexcept;

// What of it is in memory. Not for the hot path: tens of microseconds.
uint64_t own_resident_bytes() noexcept;

// In a forked child: a lock of the parent's other threads may have come along.
void memory_after_fork() noexcept;

}  // namespace tenure::inproc
