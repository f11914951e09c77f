// inproc/boot/environment.h: the variables by which a new program finds the preloaded library and the supervisor.
// World: inside. Copied once at start; constant afterwards. Nothing here allocates: it runs between vfork and exec.
#pragma once
#include <cstddef>

namespace tenure::inproc {

void remember_environment() noexcept;  // from the constructor, before the program can change anything

// Whether `tenure run` asked for Tenure's own heap for big blocks.
bool wants_territory() noexcept;

// Whether it asked for a heap that shows a use after free.
bool wants_guard() noexcept;

// Whether it asked for arrays below 1 KiB to be counted one by one.
bool wants_small_arrays() noexcept;

// Whether text of the program may go into the ledger.
bool wants_text() noexcept;

// What becomes of the environment of a new program.
enum class Passage {
  as_given,
  put_us_back,  // something of ours is missing
  leave_us_out  // a program that ends at once where a library is preloaded, or a sandbox around it
};
Passage passage_to(const char* path, char* const* environment) noexcept;

// How much room changed_environment() needs.
size_t room_for_passage(Passage passage, char* const* environment) noexcept;

// The environment as the passage wants it. What the caller set is kept, his LD_PRELOAD too: ours goes before it. Without
// room: the environment as it is.
char* const* changed_environment(Passage passage, char* const* environment, void* room) noexcept;

}  // namespace tenure::inproc
