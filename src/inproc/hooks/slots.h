// inproc/hooks/slots.h: the words of a loaded library through which it calls functions of others, and what is in them: libc's
// function, or ours.
// World: inside. Any thread; giving back only while no other thread runs.
#pragma once
#include <cstdint>

namespace tenure::inproc {

// Leads every library that is loaded now to our functions. Those behind us keep calling what is behind them.
void bind_all_libraries() noexcept;

// From now on what is bound can be given back; where there is no memory for that, nothing more is bound.
void remember_slots() noexcept;
uint32_t bound_slots() noexcept;  // since then

// Every slot that still has our function gets back what it had. A library may be gone by now.
void give_slots_back() noexcept;

}  // namespace tenure::inproc
