// tenure/extents.h: lengths or strides of a tensor, one number per dimension; no heap.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>

namespace tenure {

class Extents {
 public:
  static constexpr std::size_t kMostDimensions = 8;

  constexpr Extents() = default;
  constexpr Extents(std::initializer_list<std::int64_t> values)
      : Extents(std::span<const std::int64_t>(values.begin(), values.size())) {}
  explicit constexpr Extents(std::span<const std::int64_t> values) : rank_(values.size()) {
    if (rank_ > kMostDimensions) throw std::length_error("a tensor has at most 8 dimensions");
    std::copy(values.begin(), values.end(), values_.begin());
  }

  [[nodiscard]] constexpr std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] constexpr std::int64_t operator[](std::size_t i) const noexcept {
    return values_[i];
  }
  [[nodiscard]] constexpr std::int64_t& operator[](std::size_t i) noexcept { return values_[i]; }
  [[nodiscard]] constexpr const std::int64_t* begin() const noexcept { return values_.data(); }
  [[nodiscard]] constexpr const std::int64_t* end() const noexcept { return begin() + rank_; }

  // Number of elements of a tensor with these lengths; one for none. Throws on negative lengths and on overflow.
  [[nodiscard]] constexpr std::int64_t product() const {
    std::int64_t product = 1;
    for (std::int64_t value : *this) {
      if (value < 0) throw std::invalid_argument("a length is negative");
      if (__builtin_mul_overflow(product, value, &product))
        throw std::length_error("a tensor is too large");
    }
    return product;
  }

  // Strides, in elements, of a tensor with these lengths whose last dimension is dense. Where product() would throw
  // they have wrapped around.
  [[nodiscard]] constexpr Extents dense_strides() const noexcept {
    Extents strides = *this;
    std::uint64_t stride = 1;
    for (std::size_t i = rank_; i-- > 0; stride *= static_cast<std::uint64_t>(values_[i]))
      strides[i] = static_cast<std::int64_t>(stride);
    return strides;
  }

  // How many elements lie between the first and the last of a tensor with these lengths, both included. Throws on
  // negative strides and on overflow.
  [[nodiscard]] constexpr std::int64_t span(const Extents& strides) const {
    if (strides.rank() != rank_) throw std::invalid_argument("one stride per dimension");
    if (product() == 0) return 0;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < rank_; ++i) {
      std::int64_t step = 0;
      bool is_too_far = __builtin_mul_overflow(values_[i] - 1, strides[i], &step) ||
                        __builtin_add_overflow(last, step, &last);
      if (strides[i] < 0 || is_too_far) throw std::out_of_range("a stride leads out of the buffer");
    }
    return last + 1;
  }

  friend constexpr bool operator==(const Extents& a, const Extents& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<std::int64_t, kMostDimensions> values_{};
  std::size_t rank_ = 0;
};

}  // namespace tenure
