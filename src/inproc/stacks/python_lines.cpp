// inproc/stacks/python_lines.cpp: the three line formats of CPython 3.7 to 3.15.
#include "inproc/stacks/python_lines.h"

namespace tenure::inproc {
namespace {

int line_by_lnotab(const LineTable& table, int lasti) noexcept {
  int64_t offset = 0;
  int line = table.first_line;
  for (size_t i = 0; i + 1 < table.size; i += 2) {
    offset += table.bytes[i];
    if (offset > lasti) break;
    line += int8_t(table.bytes[i + 1]);
  }
  return line;
}

int line_by_line_table(const LineTable& table, int lasti) noexcept {
  constexpr int kNoLineHere = -128;
  int64_t end = 0;
  int line = table.first_line;
  for (size_t i = 0; i + 1 < table.size; i += 2) {
    const int delta =
        static_cast<int8_t>(table.bytes[i + 1]);  // NOLINT(bugprone-signed-char-misuse)
    end += table.bytes[i];
    if (delta != kNoLineHere) line += delta;
    if (end > lasti) return delta == kNoLineHere ? kNoLine : line;
  }
  return kNoLine;
}

// One entry of the location table: a first byte with its top bit set (4 bits of kind, 3 bits of
// length - 1 in code units), then bytes without the top bit that hold lines and columns. Only the
// lines are of interest here.
class LocationEntries {
 public:
  explicit LocationEntries(const LineTable& table) noexcept
      : next_(table.bytes), end_(table.bytes + table.size) {}

  bool advance() noexcept {
    if (next_ == end_) return false;
    const int first = *next_++;
    kind_ = first >> 3 & 15;
    code_size_ = ((first & 7) + 1) * 2;
    line_delta_ = read_line_delta();
    while (next_ != end_ && !(*next_ & 0x80)) next_++;
    return true;
  }
  int code_size() const noexcept { return code_size_; }
  int line_delta() const noexcept { return line_delta_; }
  bool has_line() const noexcept { return kind_ != kNone; }

 private:
  static constexpr int kOneLine = 10;  // 10, 11, 12: on the line 0, 1, 2 further on
  static constexpr int kNoColumns = 13;
  static constexpr int kLong = 14;
  static constexpr int kNone = 15;

  int read_line_delta() noexcept {
    if (kind_ == kNoColumns || kind_ == kLong) return read_signed();
    return kind_ >= kOneLine && kind_ < kNoColumns ? kind_ - kOneLine : 0;
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

  const uint8_t* next_;
  const uint8_t* end_;
  int kind_ = kNone;
  int code_size_ = 0;
  int line_delta_ = 0;
};

int line_by_location_table(const LineTable& table, int lasti) noexcept {
  int64_t end = 0;
  int64_t line = table.first_line;
  for (LocationEntries entry(table); entry.advance();) {
    line += entry.line_delta();
    end += entry.code_size();
    if (end > lasti) return entry.has_line() ? int(line) : kNoLine;
  }
  return kNoLine;
}

}  // namespace

int line_at(const LineTable& table, int lasti) noexcept {
  if (lasti < 0) return table.first_line;
  switch (table.format) {
    case LineFormat::lnotab:
      return line_by_lnotab(table, lasti);
    case LineFormat::line_table:
      return line_by_line_table(table, lasti);
    case LineFormat::location_table:
      return line_by_location_table(table, lasti);
  }
  return kNoLine;
}

}  // namespace tenure::inproc
