// lib/words.h: figures as people read them.
// World: the C++ library. Pure.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace tenure::lib {

[[nodiscard]] std::string bytes_text(std::size_t bytes);                           // "12.4 MiB"
[[nodiscard]] std::string seconds_text(std::chrono::steady_clock::duration time);  // "0.31 s"

}  // namespace tenure::lib
