// tests/unit/compare/line_match_test.cpp: which lines of two versions are the same line.
#include "analyze/compare/line_match.h"

#include <gtest/gtest.h>

namespace tenure::analyze {
namespace {

const LineKey kLine{"/a/train.py", 42, "train", "kept.append(x)", "retained-python", "list kept"};

LineKey changed(auto change) {
  LineKey key = kLine;
  change(key);
  return key;
}

struct Row {
  const char* what;
  LineKey other;
  bool is_same;
};

TEST(LineMatch, FunctionAndStatementTell) {
  const Row rows[] = {
      {"moved", changed([](LineKey& k) { k.line = 99; }), true},
      {"file renamed", changed([](LineKey& k) { k.file = "/b/fit.py"; }), true},
      {"another holder", changed([](LineKey& k) { k.holder = "dict cache"; }), true},
      {"another function", changed([](LineKey& k) { k.function = "test"; }), false},
      {"another statement", changed([](LineKey& k) { k.statement = "kept.append(y)"; }), false},
      {"no text, same file", changed([](LineKey& k) { k.statement = ""; }), true},
      {"no text, moved", changed([](LineKey& k) { k.statement = "", k.line = 7; }), true},
      {"no text, other file", changed([](LineKey& k) { k.statement = "", k.file = "x.py"; }),
       false},
  };
  for (const Row& row : rows) EXPECT_EQ(is_same_line(kLine, row.other), row.is_same) << row.what;
}

TEST(LineMatch, WithoutTextALineOfAModuleMustNotMove) {
  LineKey here{"train.py", 4, "<module>", "", "", ""}, there = here;
  EXPECT_TRUE(is_same_line(here, there));
  there.line = 5;
  EXPECT_FALSE(is_same_line(here, there));
}

TEST(LineMatch, OfSeveralTheNearestOfTheSameFileIsTaken) {
  const LineKey far = changed([](LineKey& k) { k.line = 400; });
  const LineKey near = changed([](LineKey& k) { k.line = 44; });
  const LineKey elsewhere = changed([](LineKey& k) { k.file = "/a/other.py"; });
  const auto matches = match_lines({kLine}, {elsewhere, far, near});
  EXPECT_EQ(matches[0], 2u);
}

TEST(LineMatch, EachIsMatchedOnce) {
  const auto matches = match_lines({kLine, kLine}, {kLine});
  EXPECT_EQ(matches[0], 0u);
  EXPECT_EQ(matches[1], std::nullopt);
}

TEST(LineMatch, LayoutOfAStatementDoesNotCount) {
  Finding finding;
  finding.where = {{"a.py", 1, "f", PlaceRole::made_at, "  kept.append(  x)\n"}};
  EXPECT_EQ(key_of(finding).statement, "kept.append( x)");
}

}  // namespace
}  // namespace tenure::analyze
