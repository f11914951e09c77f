// tests/unit/cli/output_file_test.cpp: what a program printed in, rows of the live view out.
#include "cli/output_file.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

namespace tenure::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OutputFile : public testing::Test {
 protected:
  ~OutputFile() override { std::remove(path_.c_str()); }
  const std::string& with(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  // Tests of one program may run side by side.
  std::string path_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
};

TEST_F(OutputFile, LastRowsAreThoseBehindTheLastEndsOfRows) {
  EXPECT_THAT(last_rows(with("a\nb\nc\n"), 2), ElementsAre("b", "c"));
  EXPECT_THAT(last_rows(with("a\nb\nc\n"), 9), ElementsAre("a", "b", "c"));
  EXPECT_THAT(last_rows(with("a\n\nunfinished"), 2), ElementsAre("", "unfinished"));
  EXPECT_THAT(last_rows(with(""), 2), IsEmpty());
  EXPECT_THAT(last_rows("/nowhere/at/all", 2), IsEmpty());
}

TEST_F(OutputFile, OfAProgressBarTheLastStateIsShownWithoutColours) {
  EXPECT_THAT(last_rows(with("x\n\r10 %\r20 %\r\x1b[32m30 %\x1b[0m"), 2), ElementsAre("x", "30 %"));
  EXPECT_THAT(last_rows(with("done\r\nnext\r\n"), 2), ElementsAre("done", "next"));
}

TEST_F(OutputFile, OfALongFileOnlyTheEndIsRead) {
  const std::string many(100'000, 'x');
  EXPECT_THAT(last_rows(with(many + "\nend\n"), 1), ElementsAre("end"));
  EXPECT_EQ(start_of_last_rows(path_, 1), many.size() + 1);
}

TEST_F(OutputFile, BytesThatAreNoTextMakeNoRowThatMovesTheCursor) {
  for (const std::string& row : last_rows(with("\x1b[2J\x07\xff\x1b]0;title\x07"), 1)) {
    EXPECT_EQ(row.find('\x1b'), std::string::npos);
    EXPECT_EQ(row.find('\x07'), std::string::npos);
  }
}

}  // namespace
}  // namespace tenure::cli
