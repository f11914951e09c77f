// inproc/hooks/deep_bind.h: leads libraries that were opened with RTLD_DEEPBIND, and so found libc's functions before ours,
// to ours. The flag itself is left alone: it decides which of two functions of one name the library calls.
// World: inside. Any thread. What a library's constructors allocate has gone by already.
#pragma once

namespace tenure::inproc {

// A library is about to be opened with RTLD_DEEPBIND: from now on new libraries are looked at.
void note_deep_binding() noexcept;

// Before the program can call into what it opened. Nearly free unless RTLD_DEEPBIND was used.
void bind_new_libraries() noexcept;

}  // namespace tenure::inproc
