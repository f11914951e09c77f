// tests/unit/inproc/python_lines_test.cpp: the three line formats on hand-made tables, whole and
// broken.
#include "base/python_lines.h"

#include <gtest/gtest.h>

#include <vector>

namespace tenure::inproc {
namespace {

using Bytes = std::vector<uint8_t>;

LineTable table(LineFormat format, const Bytes& bytes, int first_line) {
  return {format, bytes.data(), bytes.size(), first_line};
}

uint8_t entry(int kind, int units) { return uint8_t(0x80 | kind << 3 | (units - 1)); }

TEST(PythonLines, VersionsHaveTheirFormat) {
  EXPECT_EQ(line_format(0x307), LineFormat::lnotab);
  EXPECT_EQ(line_format(0x309), LineFormat::lnotab);
  EXPECT_EQ(line_format(0x30a), LineFormat::line_table);
  EXPECT_EQ(line_format(0x30b), LineFormat::location_table);
  EXPECT_EQ(line_format(0x30f), LineFormat::location_table);
}

TEST(PythonLines, LnotabCountsForwardAndBackward) {
  const Bytes bytes = {4, 1, 6,
                       2, 2, 0xff};  // +4 bytes +1 line, +6 bytes +2 lines, +2 bytes -1 line
  const LineTable lines = table(LineFormat::lnotab, bytes, 10);
  EXPECT_EQ(line_at(lines, 0), 10);
  EXPECT_EQ(line_at(lines, 3), 10);
  EXPECT_EQ(line_at(lines, 4), 11);
  EXPECT_EQ(line_at(lines, 10), 13);
  EXPECT_EQ(line_at(lines, 12), 12);
  EXPECT_EQ(line_at(lines, 1000), 12);
}

TEST(PythonLines, LnotabSpreadsLongGapsOverSeveralPairs) {
  const Bytes bytes = {0, 127, 0, 127, 2, 46};  // 300 lines within two bytes
  const LineTable lines = table(LineFormat::lnotab, bytes, 1);
  EXPECT_EQ(line_at(lines, 0), 255);
  EXPECT_EQ(line_at(lines, 2), 301);
}

TEST(PythonLines, LineTableOf310KnowsInstructionsWithoutALine) {
  const Bytes bytes = {4,    0, 2,
                       0x80, 6, 5};  // 4 bytes on the first line, 2 on none, 6 on the fifth after
  const LineTable lines = table(LineFormat::line_table, bytes, 20);
  EXPECT_EQ(line_at(lines, 2), 20);
  EXPECT_EQ(line_at(lines, 4), kNoLine);
  EXPECT_EQ(line_at(lines, 6), 25);
  EXPECT_EQ(line_at(lines, 12), kNoLine);
}

TEST(PythonLines, LocationTableKnowsAllKindsOfEntries) {
  const Bytes bytes = {
      entry(0, 1),  0x12,                          // short form, same line, one column byte
      entry(11, 2), 0x01, 0x02,                    // the next line, two columns
      entry(13, 1), 0x03,                          // no columns, line - 1
      entry(14, 1), 0x44, 0x01, 0x00, 0x01, 0x01,  // long form, line + 34, end line, columns
      entry(15, 3),                                // no line at all
      entry(12, 1), 0x01, 0x02,                    // two lines further
  };
  const LineTable lines = table(LineFormat::location_table, bytes, 100);
  EXPECT_EQ(line_at(lines, 0), 100);
  EXPECT_EQ(line_at(lines, 2), 101);
  EXPECT_EQ(line_at(lines, 5), 101);
  EXPECT_EQ(line_at(lines, 6), 100);
  EXPECT_EQ(line_at(lines, 8), 134);
  EXPECT_EQ(line_at(lines, 10), kNoLine);
  EXPECT_EQ(line_at(lines, 15), kNoLine);
  EXPECT_EQ(line_at(lines, 16), 136);
  EXPECT_EQ(line_at(lines, 18), kNoLine);
}

TEST(PythonLines, BeforeTheFirstInstructionIsTheFirstLine) {
  for (const LineFormat format :
       {LineFormat::lnotab, LineFormat::line_table, LineFormat::location_table})
    EXPECT_EQ(line_at(table(format, {4, 1}, 7), -2), 7);
}

TEST(PythonLines, AnEmptyTableHasNoLinesBeyondTheFirst) {
  EXPECT_EQ(line_at({LineFormat::lnotab, nullptr, 0, 7}, 4), 7);
  EXPECT_EQ(line_at({LineFormat::line_table, nullptr, 0, 7}, 4), kNoLine);
  EXPECT_EQ(line_at({LineFormat::location_table, nullptr, 0, 7}, 4), kNoLine);
}

// Each prefix is a heap block of its own, so that the address sanitizer sees a read beyond it.
TEST(PythonLines, TruncatedTablesAreNeverReadBeyondTheirEnd) {
  const Bytes whole = {entry(14, 1), 0x7f, 0x7f, 0x7f,         0x7f, 0x7f,        0x7f,
                       0x7f,         0x3f, 0x01, entry(13, 8), 0x40, entry(11, 1)};
  for (size_t size = 0; size <= whole.size(); size++) {
    const Bytes part(whole.begin(), whole.begin() + long(size));
    for (const LineFormat format :
         {LineFormat::lnotab, LineFormat::line_table, LineFormat::location_table})
      for (const int lasti : {-1, 0, 2, 4, 1 << 20}) line_at(table(format, part, 1), lasti);
  }
}

}  // namespace
}  // namespace tenure::inproc
