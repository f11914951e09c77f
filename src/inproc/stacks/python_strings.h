// inproc/stacks/python_strings.h: reads the characters of a live Python str, and the bytes of a
// live bytes object, without the interpreter.
// World: inside the program. Pure reads of immutable objects; any thread, as long as somebody holds
// the object.
#pragma once
#include <cstdint>

#include "inproc/stacks/python_layout.h"

namespace tenure::inproc {

// The characters of a str: `length` of them, `width` bytes (1, 2 or 4) each. Empty for anything
// that does not look like a str.
struct StrView {
  const char* data = nullptr;
  int64_t length = 0;
  int width = 1;
};

struct BytesView {
  const uint8_t* data = nullptr;
  int64_t size = 0;
};

constexpr int64_t kLongestObject = int64_t(1)
                                   << 28;  // a longer file name or line table is a misread

inline StrView view_str(const PythonLayout& layout, const char* str) noexcept {
  if (!str) return {};
  // interned:2, kind:3, compact:1, ascii:1, then (up to 3.11) ready:1; the same bits in all GIL
  // builds since 3.7.
  const uint32_t state = load<uint32_t>(str, kStrState);
  const int width = int(state >> 2 & 7);
  const int64_t length = load<int64_t>(str, kStrLength);
  if ((width != 1 && width != 2 && width != 4) || length < 0 || length > kLongestObject) return {};
  if (state >> 5 & 1)
    return {str + (state >> 6 & 1 ? layout.str_ascii_data : layout.str_compact_data), length,
            width};
  const char* data = load_pointer(str, layout.str_compact_data);  // instance of a subclass of str
  return data ? StrView{data, length, width} : StrView{};
}

inline BytesView view_bytes(const char* bytes) noexcept {
  if (!bytes) [[unlikely]]
    return {};
  const int64_t size = load<int64_t>(bytes, kVarObjectSize);
  if (size < 0 || size > kLongestObject) [[unlikely]]
    return {};
  return {reinterpret_cast<const uint8_t*>(bytes) + kBytesData, size};
}

// The last (up to) 8 bytes at `data` as a number. Pre-condition: 8 readable bytes before `data`,
// which every object's head gives; they are shifted out, since an object's head changes while it
// lives (hash, interned).
inline uint64_t tail_word(const void* data, int64_t size) noexcept {
  if (size >= 8) [[likely]]
    return load<uint64_t>(static_cast<const char*>(data) + size, -8);
  return size > 0 ? load<uint64_t>(static_cast<const char*>(data) + size, -8) >> (64 - 8 * size)
                  : 0;
}

// The same of a str, as it lies in memory. On the hot path: about a third of the instructions of
// view_str.
inline uint64_t str_tail_word(const PythonLayout& layout, const char* str) noexcept {
  if (!str) [[unlikely]]
    return 0;
  const uint32_t state = load<uint32_t>(str, kStrState);
  if (!(state & 1u << 5)) [[unlikely]] {  // not compact
    const StrView text = view_str(layout, str);
    return text.length * text.width >= 8 ? tail_word(text.data, text.length * text.width) : 0;
  }
  const int64_t size = load<int64_t>(str, kStrLength)
                       << (state >> 3 & 3);  // width 1, 2, 4: kind >> 1
  if (uint64_t(size) > uint64_t(kLongestObject)) [[unlikely]]
    return 0;
  return tail_word(str + (state & 1u << 6 ? layout.str_ascii_data : layout.str_compact_data), size);
}

// Copies as UTF-8 with a final zero; returns the length without it. A text that does not fit keeps
// its end. Lone surrogates become U+FFFD.
int copy_utf8_tail(const StrView& text, char* out, int capacity) noexcept;

}  // namespace tenure::inproc
