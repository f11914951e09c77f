// tenure/dtype.h: element types as tensor libraries name them. The codes are those of DLPack.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace tenure {

struct DType {
  enum class Code : std::uint8_t { integer = 0, unsigned_integer = 1, floating = 2, boolean = 6 };

  Code code = Code::floating;
  std::uint8_t bits = 32;

  friend constexpr bool operator==(const DType&, const DType&) = default;
};

template <class T>
concept Number = std::is_arithmetic_v<T> && sizeof(T) <= 8;

template <class T>
  requires Number<std::remove_const_t<T>>
inline constexpr DType kDTypeOf = {std::same_as<std::remove_const_t<T>, bool> ? DType::Code::boolean
                                   : std::is_floating_point_v<T> ? DType::Code::floating
                                   : std::is_unsigned_v<T>       ? DType::Code::unsigned_integer
                                                                 : DType::Code::integer,
                                   static_cast<std::uint8_t>(8 * sizeof(T))};

[[nodiscard]] std::string to_text(DType dtype);  // "float32"

}  // namespace tenure
