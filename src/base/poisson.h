// base/poisson.h: the mathematics of sampling by bytes: gaps between samples, and what a sample stands for.
// World: both. Pure; no libm, which the preloaded library must not need.
#pragma once
#include <cstdint>
#include <cstring>

namespace tenure {

// Natural logarithm for x > 0, error below 1e-12 of a mantissa's logarithm: exponent from the bits, mantissa by the atanh series.
inline double natural_log(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull;
  double m;
  std::memcpy(&m, &bits, sizeof m);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // |z| < 0.172, so eight terms are enough. Horner with constants: no division but the first one.
  double z = (m - 1) / (m + 1), y = z * z;
  double sum =
      1 + y * (1. / 3 +
               y * (1. / 5 + y * (1. / 7 + y * (1. / 9 + y * (1. / 11 + y * (1. / 13 + y / 15))))));
  return 2 * z * sum + exponent * 0.69314718055994530942;
}

// 1 - exp(-x) for x >= 0, accurate also for tiny x.
inline double one_minus_exp(double x) {
  int halvings = 0;
  for (; x > 1. / 32; x *= 0.5) ++halvings;
  double sum =
      x * (1 - x * (1. / 2 - x * (1. / 6 - x * (1. / 24 - x * (1. / 120 - x * (1. / 720))))));
  for (; halvings > 0; --halvings) sum = sum * (2 - sum);  // 1-q^2 from 1-q
  return sum;
}

// A block of `bytes` is sampled with this probability when samples lie `mean` bytes apart on average.
inline double sample_probability(uint64_t bytes, uint32_t mean) {
  return one_minus_exp(static_cast<double>(bytes) / mean);
}

// xorshift64*: one stream per thread, never zero.
class Random {
 public:
  explicit constexpr Random(uint64_t seed = 1) : state_(seed ? seed : 1) {}
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dull;
  }
  // Uniform in (0, 1].
  double unit() { return (static_cast<double>(next() >> 11) + 1) * 0x1p-53; }
  // Bytes until the next sample.
  int64_t gap(uint32_t mean) { return static_cast<int64_t>(-natural_log(unit()) * mean) + 1; }

 private:
  uint64_t state_;
};

}  // namespace tenure
