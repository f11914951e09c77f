// base/hash.h: the mixing used by all intern tables. Not for anything that must resist an attacker.
// World: both. Pure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tenure {

constexpr uint64_t mix(uint64_t h) {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ull;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ull;
  return h ^ (h >> 32);
}

constexpr uint64_t mix(uint64_t a, uint64_t b) { return mix(a * 0x9e3779b97f4a7c15ull + b); }

inline uint64_t hash_bytes(const char* data, size_t n) {
  uint64_t h = n;
  for (; n >= 8; data += 8, n -= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    h = mix(h, word);
  }
  uint64_t tail = 0;
  std::memcpy(&tail, data, n);
  return mix(h, tail);
}

}  // namespace tenure
