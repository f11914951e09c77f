// lib/json_text.h: the little JSON the library writes itself, so that it depends on nothing.
// World: the C++ library. Pure.
#pragma once
#include <string>
#include <string_view>

#include "tenure/event.h"

namespace tenure::lib {

[[nodiscard]] std::string quoted(std::string_view text);
[[nodiscard]] std::string to_json(const Event& event);

}  // namespace tenure::lib
