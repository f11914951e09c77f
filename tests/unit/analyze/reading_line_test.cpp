// tests/unit/analyze/reading_line_test.cpp: which lines of a Python function read what a name holds, and which give a variable
// a value that is made from its old one.
#include "analyze/heap/reading_line.h"

#include "../bytecode/compiled.h"

namespace tenure::analyze {
namespace {

const KeptName kRows{KeptName::Kind::variable, "rows", "", ""};
const KeptName kTexts{KeptName::Kind::attribute, "texts", "Texts", ""};

class ReadingLineTest : public bytecode::OnEachPython {
 protected:
  // Of the second function, which has the statement in its third line.
  bool reads(const std::string& statement, const KeptName& name) const {
    auto compiled = compile("def f(self, i, other, x):\n    x = 1\n    " + statement + "\n");
    auto line = reading_line(compiled.program().functions()[1], name);
    EXPECT_EQ(line.value_or(3), 3) << statement;
    return line.has_value();
  }
};
INSTANTIATE_TEST_SUITE_P(Code, ReadingLineTest, bytecode::kAllPythons, bytecode::name_of_python);

TEST_P(ReadingLineTest, ReadsAnItemOrAll) {
  EXPECT_TRUE(reads("text = self.texts[i]", kTexts));
  EXPECT_TRUE(reads("n = len(self.texts[i])", kTexts));
  EXPECT_TRUE(reads("for row in rows: pass", kRows));
  EXPECT_TRUE(reads("if rows == other: pass", kRows));
  EXPECT_TRUE(reads("return sum(len(row) for row in rows)", kRows));
}

TEST_P(ReadingLineTest, StoringCountingAndOtherNamesReadNothing) {
  EXPECT_FALSE(reads("self.texts = [1]", kTexts));
  EXPECT_FALSE(reads("return len(self.texts)", kTexts));
  EXPECT_FALSE(reads("texts[0]", kTexts));
  EXPECT_FALSE(reads("self.rows[0]", kRows));
  EXPECT_FALSE(reads("narrows[0] + rows_of(x)  # rows", kRows));
  EXPECT_FALSE(reads("'rows'", kRows));
}

class NewValueTest : public bytecode::OnEachPython {};
INSTANTIATE_TEST_SUITE_P(Code, NewValueTest, bytecode::kAllPythons, bytecode::name_of_python);

TEST_P(NewValueTest, IsMadeFromTheOldOne) {
  for (const char* statement : {"x = f(x)", "x += 1", "self.x = self.x + [i]", "self.x += i",
                                "x = g(y, [x])", "x = x if y else 0"}) {
    auto compiled = compile(std::string("def f(self, x, y):\n    ") + statement + "\n");
    EXPECT_TRUE(makes_from_old_value(compiled.program(), "train.py", 2)) << statement;
  }
  for (const char* statement : {"x = f(y)", "x = self.x", "self.x = x", "y[x] = x", "f(x)"}) {
    auto compiled = compile(std::string("def f(self, x, y):\n    ") + statement + "\n");
    EXPECT_FALSE(makes_from_old_value(compiled.program(), "train.py", 2)) << statement;
  }
}

TEST_P(NewValueTest, IsCarriedRoundWhereNothingElseIsGivenInTheLoop) {
  std::string text = "def f(x):\n    y = 0\n    for i in x:\n        y = g(y)\n";
  EXPECT_TRUE(is_carried_round(compile(text).program(), "train.py", 4));
  EXPECT_FALSE(is_carried_round(compile(text).program(), "train.py", 2));
  EXPECT_FALSE(is_carried_round(compile(text + "        y = h()\n").program(), "train.py", 4));
}

TEST_P(NewValueTest, BelongsToTheOneVariableThatTheLineAssigns) {
  auto compiled = compile("x = f()\nx, y = f()\nself.x = f()\nx[0] = f()\nx += f()\n");
  auto name = [&](int line) { return assigned_variable(compiled.program(), "train.py", line); };
  EXPECT_EQ(name(1), "x");
  EXPECT_EQ(name(2), "");
  EXPECT_EQ(name(3), "");
  EXPECT_EQ(name(4), "");
  EXPECT_EQ(name(5), "x");
}

}  // namespace
}  // namespace tenure::analyze
