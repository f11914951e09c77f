// inproc/os/elf_symbols.h: exported symbols and loaded objects, read from the loader's own tables instead of asked for
// with dlsym: nothing allocates, no loader lock is taken, and an interposed dlsym (ours) is not entered.
// World: inside the program. Any thread; not while another thread is inside dlclose (link maps are read without a lock).
#pragma once
#include <cstdint>

namespace tenure::inproc {

// Only default versions are found (`name@@VERSION`), never thread-local variables. An indirect function (IFUNC) is
// resolved, so its object must have been relocated: true for everything visible once our constructor runs or a dlopen returned.
// Cost: about 50 ns per object that lacks the name.

// The first definition in load order, over all loaded objects, those opened with RTLD_LOCAL included. Null if there is none.
void* find_symbol(const char* name) noexcept;

// Whether the object that contains this very function came after libc, by a dlopen: nothing that was there before it is
// bound to it.
bool is_loaded_late() noexcept;

// The same, but only behind the object that contains this very function, as RTLD_NEXT: what an interposed function has to
// call. What stands before it may itself be waiting for our answer. Where it was loaded late: in any other object.
void* find_next_symbol(const char* name) noexcept;

// The same in objects whose path ends in `object_suffix`: "libc.so.6", "/libc10.so". The main program's path is empty.
void* find_symbol_in(const char* object_suffix, const char* name) noexcept;

struct ObjectInfo {
  const char* path;  // the loader's string; empty for the main program (its path is /proc/self/exe)
  uintptr_t base;    // address minus base is the address inside the ELF file
  uintptr_t start, end;     // the mapping
  const uint8_t* build_id;  // in the mapped notes; null if it has none
  int build_id_size;
};

// The object that `pc` lies in. Pointers in `out` live until that object is unloaded. With glibc >= 2.35 lock-free and safe
// in a signal handler; before that the loader's recursive lock is taken (dl_iterate_phdr): hold no lock of ours meanwhile.
bool object_of(uintptr_t pc, ObjectInfo* out) noexcept;

// Start of the .eh_frame_hdr section of the object that `pc` lies in; null for unknown code or an object without one.
// Same lock rule as object_of. Cost: about 10 ns with glibc >= 2.35.
const uint8_t* eh_frame_header_of(uintptr_t pc) noexcept;

}  // namespace tenure::inproc
