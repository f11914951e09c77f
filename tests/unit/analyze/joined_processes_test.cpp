// tests/unit/analyze/joined_processes_test.cpp: workers that leak the same thing make one finding.
#include "analyze/joined_processes.h"

#include <gtest/gtest.h>

namespace tenure::analyze {
namespace {

Finding growth(int line, uint64_t bytes, Severity severity = Severity::leak) {
  Finding f;
  f.kind = "retained-python";
  f.severity = severity;
  f.why = "they pile up";
  f.where.push_back({"work.py", line, "work", "made at", ""});
  f.bytes = bytes;
  f.count = 10;
  f.bytes_per_step = 100;
  return f;
}

TEST(JoinedProcesses, TheSameLineInTwoProcessesIsOneFinding) {
  JoinedProcesses all;
  all.add({growth(7, 1000)});
  all.add({growth(7, 500)});
  std::vector<Finding> found = all.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bytes, 1500u);
  EXPECT_EQ(found[0].count, 20u);
  EXPECT_EQ(found[0].title, "100 bytes every step, 1500 bytes now");
  EXPECT_EQ(found[0].why, "they pile up; the same in 2 processes");
}

TEST(JoinedProcesses, TwoFindingsOfOneProcessStayTwo) {
  JoinedProcesses all;
  all.add({growth(7, 1000), growth(7, 500)});
  EXPECT_EQ(all.take().size(), 2u);
}

TEST(JoinedProcesses, AnotherLineIsAnotherFinding) {
  JoinedProcesses all;
  all.add({growth(7, 1000)});
  all.add({growth(8, 1000)});
  EXPECT_EQ(all.take().size(), 2u);
}

TEST(JoinedProcesses, TheSurerOneTellsTheStory) {
  JoinedProcesses all;
  all.add({growth(7, 1000, Severity::warning)});
  Finding sure = growth(7, 500);
  sure.holder = Holder{"global list `seen`", {}};
  all.add({sure});
  std::vector<Finding> found = all.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::leak);
  EXPECT_EQ(found[0].holder->text, "global list `seen`");
  EXPECT_EQ(found[0].bytes, 1500u);
}

TEST(JoinedProcesses, AnErrorIsNotJoinedToGrowth) {
  JoinedProcesses all;
  Finding error = growth(7, 0, Severity::error);
  error.error = ErrorText{"ValueError", "closed"};
  all.add({growth(7, 1000)});
  all.add({error});
  EXPECT_EQ(all.take().size(), 2u);
}

}  // namespace
}  // namespace tenure::analyze
