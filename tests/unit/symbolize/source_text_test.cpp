// tests/unit/symbolize/source_text_test.cpp: which loop encloses a line, by its text.
#include "symbolize/source_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tiny_program.h"

namespace tenure::symbolize {
namespace {

TEST(SourceText, KnowsLoopKeywordsFromWordsThatContainThem) {
  const SourceText text(
      "for (;;) {\nformat(x);\n} while (x);\ndo {\nundo();\nx = 1;  // for a "
      "while\nputs(\"while\");\n");
  EXPECT_TRUE(text.has_loop_keyword(1));
  EXPECT_FALSE(text.has_loop_keyword(2));
  EXPECT_TRUE(text.has_loop_keyword(3));
  EXPECT_TRUE(text.has_loop_keyword(4));
  EXPECT_FALSE(text.has_loop_keyword(5));
  EXPECT_FALSE(text.has_loop_keyword(6));
  EXPECT_FALSE(text.has_loop_keyword(7));
  EXPECT_FALSE(text.has_loop_keyword(0));
  EXPECT_FALSE(text.has_loop_keyword(99));
}

TEST(SourceText, FindsTheLoopAroundALine) {
  const SourceText text(
      "void f() {\n  while (true) {\n    try {\n      g();\n    } catch (...) {\n      h();\n    "
      "}\n  }\n}\n");
  EXPECT_EQ(text.enclosing_loop(4, 1), 2);
  EXPECT_EQ(text.enclosing_loop(6, 1), 2);
}

TEST(SourceText, PassesOverLoopsThatEndedBefore) {
  const SourceText text(
      "void f() {\n  while (true) {\n    for (int x : v) {\n      g(x);\n    }\n    for (;;) { "
      "h(); }\n    for (int y : v) h();\n    k();\n  }\n}\n");
  EXPECT_EQ(text.enclosing_loop(8, 1), 2);
}

TEST(SourceText, FindsHeadsOfSeveralLinesAndBracesOnTheirOwn) {
  const SourceText text(
      "void f()\n{\n  for (int i = 0;\n       i < n;\n       ++i)\n  {\n    g();\n  }\n  do\n  {\n "
      "   h();\n  } while (x);\n}\n");
  EXPECT_EQ(text.enclosing_loop(4, 1), 3);
  EXPECT_EQ(text.enclosing_loop(7, 1), 3);
  EXPECT_EQ(text.enclosing_loop(11, 1), 9);
}

TEST(SourceText, FindsNothingOutsideLoopsOrAboveTheFunction) {
  const SourceText text("void f() {\n  for (;;) {\n    g();\n  }\n}\nvoid h() {\n  g();\n}\n");
  EXPECT_EQ(text.enclosing_loop(7, 1), 0);
  EXPECT_EQ(text.enclosing_loop(3, 3), 0);
}

TEST(SourceText, IsNotReadIfItChangedAfterTheBuildOrIsMissing) {
  TemporaryFolder folder;
  const std::string source = folder.path() / "a.cpp", built = folder.path() / "a.out";
  std::ofstream(source) << "for (;;) {}\n";
  std::ofstream(built) << "";
  const auto now = std::filesystem::last_write_time(source);
  std::filesystem::last_write_time(built, now + std::chrono::seconds(1));
  EXPECT_TRUE(SourceText::read_unchanged(source, built).has_value());
  std::filesystem::last_write_time(built, now - std::chrono::seconds(1));
  EXPECT_FALSE(SourceText::read_unchanged(source, built).has_value());
  EXPECT_FALSE(SourceText::read_unchanged(folder.path() / "none.cpp", built).has_value());
}

}  // namespace
}  // namespace tenure::symbolize
