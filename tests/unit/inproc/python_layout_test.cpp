// tests/unit/inproc/python_layout_test.cpp: which versions are known, and how the tables are
// checked against the interpreter's own.
#include "inproc/stacks/python_layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace tenure::inproc {
namespace {

// _PyRuntime of 3.13 as far as the check reads it: word -> offset.
std::vector<uint64_t> runtime_of_313() {
  std::vector<uint64_t> words(96, 0);
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = 0x030d00f0;
  const PythonLayout& layout = *python_layout(0x30d);
  const struct {
    int word, offset;
  } fields[] = {{23, layout.thread_frame},
                {29, layout.frame_back},
                {30, layout.frame_code},
                {31, layout.frame_instruction},
                {33, layout.frame_owner},
                {35, layout.code_file},
                {36, layout.code_name},
                {37, layout.code_qualname},
                {38, layout.code_lines},
                {39, layout.code_first_line},
                {43, layout.code_units},
                {65, 16},
                {66, 32},
                {68, 32},
                {69, 16},
                {70, layout.str_ascii_data}};
  for (const auto& field : fields) words[size_t(field.word)] = uint64_t(field.offset);
  return words;
}

TEST(PythonLayout, Knows37To315) {
  for (int version = 0x307; version <= 0x30f; version++) {
    ASSERT_NE(python_layout(version), nullptr);
    EXPECT_EQ(python_layout(version)->version, version);
  }
  for (const int version : {0, 0x207, 0x306, 0x310, 0x400})
    EXPECT_EQ(python_layout(version), nullptr);
}

TEST(PythonLayout, VersionsAreParsed) {
  EXPECT_EQ(parse_version("3.7.16 (default, May  9)"), 0x307);
  EXPECT_EQ(parse_version("3.11.2"), 0x30b);
  EXPECT_EQ(parse_version("3.15.0a1+"), 0x30f);
  EXPECT_EQ(parse_version("2.7.18"), 0x207);
  for (const char* text : {"", "3", "3.", "x.y", ".7"}) EXPECT_EQ(parse_version(text), 0) << text;
}

TEST(PythonLayout, AgreesWithItsOwnDescription) {
  EXPECT_EQ(check_layout(*python_layout(0x30d), runtime_of_313().data()), LayoutCheck::agrees);
}

TEST(PythonLayout, OneOtherOffsetIsADisagreement) {
  for (const size_t word : {0u, 1u, 23u, 29u, 33u, 43u, 70u}) {
    std::vector<uint64_t> words = runtime_of_313();
    words[word] += 0x10000;
    EXPECT_EQ(check_layout(*python_layout(0x30d), words.data()), LayoutCheck::disagrees) << word;
  }
}

TEST(PythonLayout, FreeThreadedBuildsSaySo) {
  std::vector<uint64_t> words = runtime_of_313();
  words[2] = 1;
  EXPECT_EQ(check_layout(*python_layout(0x30d), words.data()), LayoutCheck::free_threaded);
}

TEST(PythonLayout, OlderVersionsDescribeNothing) {
  EXPECT_EQ(check_layout(*python_layout(0x30b), runtime_of_313().data()),
            LayoutCheck::not_described);
  EXPECT_EQ(check_layout(*python_layout(0x30d), nullptr), LayoutCheck::not_described);
}

}  // namespace
}  // namespace tenure::inproc
