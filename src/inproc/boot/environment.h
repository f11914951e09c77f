// inproc/boot/environment.h: the variables by which a new program finds the preloaded library and the supervisor.
// World: inside. Copied once at start; constant afterwards.
#pragma once

namespace tenure::inproc {

inline constexpr int kOurVariables = 3;

void remember_environment() noexcept;  // from the constructor, before the program can change anything
bool is_traced() noexcept;             // all of them were there
const char* our_variable(int i) noexcept;  // "NAME=value"
bool is_ours(const char* entry) noexcept;  // an entry that sets one of our variables
bool lacks_ours(char* const* environment) noexcept;

}  // namespace tenure::inproc
