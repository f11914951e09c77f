// tests/unit/cli/job_placement_test.cpp: ranks and jobs in the environments that launchers make.
#include "cli/job_placement.h"

#include <gtest/gtest.h>

#include <string>

namespace tenure::cli {
namespace {

using namespace std::string_literals;

TEST(JobPlacement, KnowsTheRankOfEachLauncher) {
  EXPECT_EQ(rank_in("PATH=/bin\0RANK=3\0WORLD_SIZE=4\0"s), 3);
  EXPECT_EQ(rank_in("OMPI_COMM_WORLD_RANK=12\0"s), 12);
  EXPECT_EQ(rank_in("PMI_RANK=0\0"s), 0);
  EXPECT_EQ(rank_in("SLURM_PROCID=7"), 7);
}

TEST(JobPlacement, TheInnerLauncherNumbersItsOwnProcesses) {
  EXPECT_EQ(rank_in("SLURM_PROCID=1\0RANK=5\0"s), 5);
}

TEST(JobPlacement, WhatIsNoRankIsNone) {
  for (const std::string& odd : {""s, "RANK=\0"s, "RANK=-1\0"s, "RANK=1x\0"s, "MY_RANK=4\0"s,
                                 "RANK=99999999999\0"s, "RANKS=1"s, "RANK"s})
    EXPECT_EQ(rank_in(odd), record::kNoRank) << odd;
}

TEST(JobPlacement, AJobWithoutANameIsNone) {
  EXPECT_EQ(job_in("TORCHELASTIC_RUN_ID=none\0SLURM_JOB_ID=4711\0"s), "4711");
  EXPECT_EQ(job_in("TORCHELASTIC_RUN_ID=none\0"s), "");
}

}  // namespace
}  // namespace tenure::cli
