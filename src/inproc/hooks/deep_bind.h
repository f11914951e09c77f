// inproc/hooks/deep_bind.h: leads libraries that found libc's functions before ours to ours: those that were opened with
// RTLD_DEEPBIND, and all of them where we were loaded into a running program. The flag itself is left alone: it decides which of two functions of one name the library calls.
// World: inside. Any thread. What a library's constructors allocate has gone by already.
#pragma once

namespace tenure::inproc {

// A library is about to be opened with RTLD_DEEPBIND: from now on new libraries are looked at.
void note_deep_binding() noexcept;

// For `tenure attach`: all libraries from now on, and those that come later. And the way back, when no other thread runs.
void begin_binding() noexcept;
void end_binding() noexcept;

// Before the program can call into what it opened. Nearly free unless RTLD_DEEPBIND was used.
void bind_new_libraries() noexcept;

}  // namespace tenure::inproc
