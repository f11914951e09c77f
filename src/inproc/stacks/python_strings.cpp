// inproc/stacks/python_strings.cpp: copies a Python str as UTF-8.
#include "inproc/stacks/python_strings.h"

namespace tenure::inproc {
namespace {

uint32_t character(const StrView& text, int64_t index) noexcept {
  switch (text.width) {
    case 1:
      return load<uint8_t>(text.data + index, 0);
    case 2:
      return load<uint16_t>(text.data + index * 2, 0);
    default:
      return load<uint32_t>(text.data + index * 4, 0);
  }
}

int encode(uint32_t c, char out[4]) noexcept {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  if (c < 0x80) {
    out[0] = char(c);
    return 1;
  }
  const int size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (int i = size - 1; i > 0; i--, c >>= 6) out[i] = char(0x80 | (c & 63));
  out[0] = char((0xf00 >> size & 0xff) | c);
  return size;
}

}  // namespace

int copy_utf8_tail(const StrView& text, char* out, int capacity) noexcept {
  if (capacity <= 0) return 0;
  int begin = capacity - 1;  // filled from the end, then moved to the front
  for (int64_t i = text.length; i-- > 0;) {
    char encoded[4];
    const int size = encode(character(text, i), encoded);
    if (size > begin) break;
    begin -= size;
    std::memcpy(out + begin, encoded, size_t(size));
  }
  const int length = capacity - 1 - begin;
  std::memmove(out, out + begin, size_t(length));
  out[length] = '\0';
  return length;
}

}  // namespace tenure::inproc
