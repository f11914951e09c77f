// tests/unit/accounting/job_rank_test.cpp: the rank that a launcher wrote into the environment.
#include "inproc/accounting/job_rank.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

namespace tenure::inproc {
namespace {

class JobRank : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* name : {"RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                             "PMI_RANK", "PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS"})
      unsetenv(name);
  }

  static std::string rank(size_t room = 32) {
    std::vector<char> text(room);
    return job_rank(text.data(), room) ? text.data() : "none";
  }
};

TEST_F(JobRank, IsThatOfTheLauncher) {
  EXPECT_EQ(rank(), "none");
  setenv("SLURM_PROCID", "5", 1);
  setenv("SLURM_NTASKS", "8", 1);
  EXPECT_EQ(rank(), "5/8");
  setenv("RANK", "1", 1);
  EXPECT_EQ(rank(), "5/8");
  setenv("WORLD_SIZE", "4", 1);
  EXPECT_EQ(rank(), "1/4");
}

TEST_F(JobRank, IsANumberAndFits) {
  setenv("WORLD_SIZE", "4", 1);
  for (const char* wrong : {"", "one", "1 ", "-1", "123456789"}) {
    setenv("RANK", wrong, 1);
    EXPECT_EQ(rank(), "none") << wrong;
  }
  setenv("RANK", "3", 1);
  EXPECT_EQ(rank(4), "3/4");
  EXPECT_EQ(rank(3), "none");
}

}  // namespace
}  // namespace tenure::inproc
