// tests/unit/report/processes_test.cpp: the table of processes as people read it.
#include "report/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_findings.h"

namespace tenure::report {
namespace {

TEST(ProcessesTable, ListsEachWithItsFigures) {
  analyze::Findings findings;
  findings.processes.push_back(
      {7, 5, {"python", "serve.py"}, 0, 12.5, 2 * kMiB, kMiB, 40 * kMiB, false});
  findings.processes.push_back({9,
                                7,
                                {"python", "-m", "pool"},
                                1.25,
                                3,
                                60 * kMiB,
                                60 * kMiB,
                                0,
                                true,
                                {analyze::ProcessPart::worker, 1, 2}});
  EXPECT_EQ(
      processes_table(findings, 100),
      "  process    parent  from s    to s        peak     at end   resident\n"
      "        7         5     0.0    12.5       2 MiB      1 MiB     40 MiB         serve.py\n"
      "        9         7     1.2     3.0      60 MiB     60 MiB          -  LEAK   pool, worker "
      "1 of 2\n");
}

TEST(ProcessesTable, SaysSoWhereNoneWasSeen) {
  EXPECT_THAT(processes_table({}, 80), ::testing::HasSubstr("no process was seen"));
}

}  // namespace
}  // namespace tenure::report
