// base/python_lines.h: from an instruction's offset to its source line, by the tables CPython 3.7 to 3.15 keep in code objects.
// World: both. Pure functions over bytes: live tables and copies give the same answer; any thread, no heap.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure {

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

// The ranges of a table one after the other: each ends where the next begins, the first at offset 0. A truncated or broken
// table never makes it read beyond `size`; then there are fewer ranges.
class LineRanges {
 public:
  explicit LineRanges(const LineTable& table) noexcept
      : format_(table.format),
        next_(table.bytes),
        end_(table.bytes + table.size),
        line_(table.first_line) {}

  // False: there are no more.
  bool advance() noexcept {
    switch (format_) {
      case LineFormat::lnotab:
        return advance_lnotab();
      case LineFormat::line_table:
        return advance_line_table();
      case LineFormat::location_table:
        return advance_location_table();
    }
    return false;
  }
  int64_t end() const noexcept { return code_end_; }  // the first offset behind the range
  int line() const noexcept { return has_line_ ? static_cast<int>(line_) : kNoLine; }

 private:
  static constexpr int64_t kEndless = INT64_MAX;  // the last line of an lnotab goes on

  // A pair says where the next line begins: the range before it ends there.
  bool advance_lnotab() noexcept {
    if (code_end_ == kEndless) return false;
    line_ += pending_lines_;
    pending_lines_ = 0;
    if (end_ - next_ < 2) {
      code_end_ = kEndless;
      return true;
    }
    code_end_ += next_[0];
    pending_lines_ = static_cast<int8_t>(next_[1]);  // NOLINT(bugprone-signed-char-misuse)
    next_ += 2;
    return true;
  }

  bool advance_line_table() noexcept {
    constexpr int kNoLineHere = -128;
    if (end_ - next_ < 2) return false;
    const int delta = static_cast<int8_t>(next_[1]);  // NOLINT(bugprone-signed-char-misuse)
    code_end_ += next_[0];
    has_line_ = delta != kNoLineHere;
    if (has_line_) line_ += delta;
    next_ += 2;
    return true;
  }

  // A first byte with its top bit set (4 bits of kind, 3 bits of length - 1 in code units), then bytes without the top bit
  // that hold lines and columns. Only the lines are of interest here.
  bool advance_location_table() noexcept {
    if (next_ == end_) return false;
    const int first = *next_++, kind = first >> 3 & 15;
    code_end_ += ((first & 7) + 1) * 2;
    line_ += line_delta(kind);
    has_line_ = kind != kNoLocation;
    while (next_ != end_ && !(*next_ & 0x80)) next_++;
    return true;
  }

  static constexpr int kOneLine = 10;  // 10, 11, 12: on the line 0, 1, 2 further on
  static constexpr int kNoColumns = 13, kLong = 14, kNoLocation = 15;

  int line_delta(int kind) noexcept {
    if (kind == kNoColumns || kind == kLong) return read_signed();
    return kind >= kOneLine && kind < kNoColumns ? kind - kOneLine : 0;
  }
  // Six bits a byte, low ones first, bit 6 = more follow; the lowest bit of the whole is the sign.
  int read_signed() noexcept {
    uint32_t value = 0;
    for (int shift = 0; next_ != end_ && !(*next_ & 0x80);) {
      const uint8_t byte = *next_++;
      if (shift < 30) value |= uint32_t(byte & 63) << shift;
      shift += 6;
      if (!(byte & 64)) break;
    }
    const int size = int(value >> 1);
    return value & 1 ? -size : size;
  }

  LineFormat format_;
  const uint8_t* next_;
  const uint8_t* end_;
  int64_t line_;
  int64_t code_end_ = 0;
  int pending_lines_ = 0;
  bool has_line_ = true;
};

// `lasti` is a byte offset; below zero (the frame has not begun) the answer is the first line. Behind the end of a table the
// answer is kNoLine, or the last line where the format has no end.
inline int line_at(const LineTable& table, int lasti) noexcept {
  if (lasti < 0) return table.first_line;
  for (LineRanges ranges(table); ranges.advance();) {
    if (ranges.end() > lasti) return ranges.line();
  }
  return kNoLine;
}

}  // namespace tenure
