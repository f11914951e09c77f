// tests/unit/analyze/reading_line_test.cpp: which lines of a Python function read what a name holds.
#include "analyze/reading_line.h"

#include <gtest/gtest.h>

namespace tenure::analyze {
namespace {

const KeptName kRows{KeptName::Kind::variable, "rows", "", ""};
const KeptName kTexts{KeptName::Kind::attribute, "texts", "Texts", ""};

TEST(ReadingLine, ReadsAnItemOrAll) {
  EXPECT_TRUE(reads_name("    text = self.texts[i]", kTexts));
  EXPECT_TRUE(reads_name("n = len(self.texts[i])", kTexts));
  EXPECT_TRUE(reads_name("for row in rows:", kRows));
  EXPECT_TRUE(reads_name("if rows == other:", kRows));
}

TEST(ReadingLine, StoringCountingAndOtherNamesReadNothing) {
  EXPECT_FALSE(reads_name("self.texts = [1]", kTexts));
  EXPECT_FALSE(reads_name("return len(self.texts)", kTexts));
  EXPECT_FALSE(reads_name("texts[0]", kTexts));
  EXPECT_FALSE(reads_name("self.rows[0]", kRows));
  EXPECT_FALSE(reads_name("narrows[0] + rows_of(x)  # rows", kRows));
}

TEST(ReadingLine, ALineBelongsToTheInnermostFunction) {
  auto lines = lines_of_functions(
      "top = 1\n"
      "@cached\n"
      "def outer(a):\n"
      "    x = a\n"
      "    def inner():\n"
      "        y = 2\n"
      "    z = 3\n"
      "other = 4\n");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].function, "outer");
  EXPECT_EQ(lines[0].first_line, 2);
  EXPECT_EQ(lines[1].function, "inner");
  EXPECT_EQ(lines[1].line, 6);
  EXPECT_EQ(lines[2].function, "outer");
}

}  // namespace
}  // namespace tenure::analyze
