// tests/unit/inproc/python_objects.h: Python objects made of bytes, as far as the reader looks at
// them.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "inproc/stacks/python_layout.h"

namespace tenure::inproc {

using Object = std::vector<char>;

template <typename T>
void put(Object& object, int offset, T value) {
  std::memcpy(object.data() + offset, &value, sizeof value);
}

inline Object ascii_str(const PythonLayout& layout, const std::string& text) {
  Object object(size_t(layout.str_ascii_data) + text.size() + 1);
  put<int64_t>(object, kStrLength, int64_t(text.size()));
  put<uint32_t>(object, kStrState, 1u << 2 | 1u << 5 | 1u << 6);
  std::memcpy(object.data() + layout.str_ascii_data, text.data(), text.size());
  return object;
}

template <typename Character>
Object wide_str(const PythonLayout& layout, const std::basic_string<Character>& text) {
  Object object(size_t(layout.str_compact_data) + (text.size() + 1) * sizeof(Character));
  put<int64_t>(object, kStrLength, int64_t(text.size()));
  put<uint32_t>(object, kStrState, uint32_t(sizeof(Character)) << 2 | 1u << 5);
  std::memcpy(object.data() + layout.str_compact_data, text.data(),
              text.size() * sizeof(Character));
  return object;
}

inline Object bytes_object(const std::string& bytes) {
  Object object(size_t(kBytesData) + bytes.size() + 1);
  put<int64_t>(object, kVarObjectSize, int64_t(bytes.size()));
  std::memcpy(object.data() + kBytesData, bytes.data(), bytes.size());
  return object;
}

}  // namespace tenure::inproc
