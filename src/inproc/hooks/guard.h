// inproc/hooks/guard.h: switches the guarded heap on, between our hooks and libc's heap.
// World: inside, from the library's constructor.
#pragma once

namespace tenure::inproc {

// Leaves everything as it is where the heap below us is not glibc's, or the program does not come to ours.
void start_guard() noexcept;

// From then on the signals of a bad access come to us first; what the program wants done with them is done afterwards.
void watch_faults() noexcept;

}  // namespace tenure::inproc
