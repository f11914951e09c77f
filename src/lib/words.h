// lib/words.h: figures and scopes as people read them.
// World: the C++ library. Pure.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "tenure/scope.h"

namespace tenure::lib {

[[nodiscard]] std::string bytes_text(std::size_t bytes);                           // "12.4 MiB"
[[nodiscard]] std::string seconds_text(std::chrono::steady_clock::duration time);  // "0.31 s"
[[nodiscard]] std::string scope_title(ScopeKind kind, std::string_view name);      // "request `r1`"

}  // namespace tenure::lib
