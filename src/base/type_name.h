// base/type_name.h: what people call a C++ type, from the name that compilers write into a library.
// World: both. Pure.
#pragma once
#include <cstdint>

namespace tenure {

// Not terminated. Length 0: there is none.
struct NamePart {
  const char* text;
  uint32_t length;
};

// "MulBackward0" of "N5torch8autograd9generated12MulBackward0E": the last of its parts, each behind its length.
inline NamePart last_name_part(const char* mangled, uint32_t length) noexcept {
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  NamePart found{mangled, 0};
  uint32_t at = length > 0 && mangled[0] == 'N' ? 1 : 0;
  while (at < length && is_digit(mangled[at])) {
    uint32_t part = 0;
    for (; at < length && is_digit(mangled[at]); ++at)
      part = part * 10 + static_cast<uint32_t>(mangled[at] - '0');
    if (part == 0 || part > length - at) break;
    found = {mangled + at, part};
    at += part;
  }
  return found;
}

}  // namespace tenure
