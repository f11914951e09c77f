// inproc/boot/start.h: Tenure's own start inside a process, and the moments when it looks again.
// World: inside.
#pragma once
#include <cstdint>

namespace tenure::inproc {

// From the library's constructor: finds the supervisor and switches the accounting on, or leaves everything off.
// True: there is a supervisor.
bool start_in_process() noexcept;

// In a program that was running before: joins the supervisor at this socket. False: nobody answers, and all is as before.
bool start_attached(const char* socket) noexcept;

// A library was or will be loaded or unloaded: Python may have come, cached native rows may be stale.
void note_library_change() noexcept;

// Whether the address lies in the code of the Python interpreter.
bool is_python_interpreter(uintptr_t address) noexcept;

}  // namespace tenure::inproc
