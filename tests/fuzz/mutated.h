// tests/fuzz/mutated.h: starts the fuzzer from something whole, so that it does not have to find the layout by itself.
// World: fuzzing.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace tenure::fuzz {

// A mutation of the input, or of `whole` if the input is no longer than a header, and now and then all the same.
inline size_t mutate_from(const std::vector<char>& whole, size_t header_bytes, uint8_t* data,
                          size_t size, size_t max_size, unsigned int seed) {
  if ((size < header_bytes || seed % 64 == 0) && whole.size() <= max_size) {
    std::memcpy(data, whole.data(), whole.size());
    size = whole.size();
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

}  // namespace tenure::fuzz
