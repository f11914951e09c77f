// inproc/hooks/own_heap.h: switches the territory on, and makes glibc's heap fit beside it.
// World: inside, from the library's constructor.
#pragma once

namespace tenure::inproc {

// Leaves everything as it is where the heap below us is not glibc's, or the program does not come to ours.
void start_own_heap() noexcept;

}  // namespace tenure::inproc
