// inproc/boot/environment.h: the variables by which a new program finds the preloaded library and the supervisor.
// World: inside. Copied once at start; constant afterwards. Nothing here allocates: it runs between vfork and exec.
#pragma once
#include <cstddef>

namespace tenure::inproc {

void remember_environment() noexcept;  // from the constructor, before the program can change anything

// Whether `tenure run` asked for Tenure's own heap for big blocks.
bool wants_territory() noexcept;

// How much room put_us_back() needs for this environment; 0 when nothing is missing in it.
size_t room_to_put_us_back(char* const* environment) noexcept;

// The environment with our variables added. What the caller set is kept, his LD_PRELOAD too: ours goes before it. Without
// room: the environment as it is.
char* const* put_us_back(char* const* environment, void* room) noexcept;

}  // namespace tenure::inproc
