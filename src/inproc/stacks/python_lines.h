// inproc/stacks/python_lines.h: from an instruction's offset to its source line, by the tables
// CPython keeps in code objects.
// World: inside the program. Pure functions over bytes: live tables and copies give the same
// answer; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure::inproc {

enum class LineFormat : uint8_t {
  lnotab,          // up to 3.9: pairs (bytes of code u8, lines i8)
  line_table,      // 3.10: pairs (bytes of code u8, lines i8, -128 = no line)
  location_table,  // 3.11+: entries with columns, see Objects/locations.md of CPython
};

constexpr int kNoLine = -1;  // the instruction belongs to no source line

struct LineTable {
  LineFormat format;
  const uint8_t* bytes;
  size_t size;
  int first_line;  // co_firstlineno
};

constexpr LineFormat line_format(int python_version) noexcept {
  if (python_version <= 0x309) return LineFormat::lnotab;
  return python_version == 0x30a ? LineFormat::line_table : LineFormat::location_table;
}

// `lasti` is a byte offset; below zero (the frame has not begun) the answer is the first line. A
// truncated or broken table never makes it read beyond `size`; the answer is then kNoLine or the
// last line that could be decoded.
int line_at(const LineTable& table, int lasti) noexcept;

}  // namespace tenure::inproc
