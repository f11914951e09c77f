// tests/unit/inproc/python_strings_test.cpp: str objects of all widths, copied as UTF-8.
#include "inproc/stacks/python_strings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "python_objects.h"

namespace tenure::inproc {
namespace {

std::string copied(const Object& str, int capacity) {
  std::vector<char> out(size_t(capacity) + 1, '#');
  const int length =
      copy_utf8_tail(view_str(*python_layout(0x30b), str.data()), out.data(), capacity);
  EXPECT_EQ(out[size_t(capacity)], '#') << "written beyond the capacity";
  return std::string(out.data(), size_t(length));
}

TEST(PythonStrings, AllWidthsBecomeUtf8) {
  const PythonLayout& layout = *python_layout(0x30b);
  EXPECT_EQ(copied(ascii_str(layout, "train.py"), 64), "train.py");
  EXPECT_EQ(copied(wide_str<char>(layout, "caf\xe9"), 64), "café");
  EXPECT_EQ(copied(wide_str<char16_t>(layout, u"中é.py"), 64), "中é.py");
  EXPECT_EQ(copied(wide_str<char32_t>(layout, U"\U0001f600中é!"), 64), "\U0001f600中é!");
}

TEST(PythonStrings, WhatDoesNotFitKeepsItsEndInWholeCharacters) {
  const Object str = wide_str<char32_t>(*python_layout(0x30b), U"\U0001f600中é!");
  EXPECT_EQ(copied(str, 11), "\U0001f600中é!");
  EXPECT_EQ(copied(str, 10), "中é!");
  EXPECT_EQ(copied(str, 4), "é!");
  EXPECT_EQ(copied(str, 3), "!");
  EXPECT_EQ(copied(str, 1), "");
  EXPECT_EQ(copied(str, 0), "");
}

TEST(PythonStrings, LoneSurrogatesBecomeReplacements) {
  EXPECT_EQ(copied(wide_str<char16_t>(*python_layout(0x30b), std::u16string{0xdc80, 'x'}), 64),
            "\ufffdx");
}

TEST(PythonStrings, WhatIsNoStrIsEmpty) {
  Object str = ascii_str(*python_layout(0x30b), "train.py");
  put<int64_t>(str, kStrLength, -1);
  EXPECT_EQ(copied(str, 64), "");
  put<int64_t>(str, kStrLength, int64_t(1) << 40);
  EXPECT_EQ(copied(str, 64), "");
  put<int64_t>(str, kStrLength, 8);
  put<uint32_t>(str, kStrState, 3u << 2 | 1u << 5);
  EXPECT_EQ(copied(str, 64), "");
}

TEST(PythonStrings, AStrOfASubclassKeepsItsCharactersElsewhere) {
  const PythonLayout& layout = *python_layout(0x30b);
  Object str(size_t(layout.str_compact_data) + 8);
  put<int64_t>(str, kStrLength, 5);
  put<uint32_t>(str, kStrState, 1u << 2);
  put<const char*>(str, layout.str_compact_data, "x.pyz");
  EXPECT_EQ(copied(str, 64), "x.pyz");
}

}  // namespace
}  // namespace tenure::inproc
