// tests/unit/snapshot/waiting_copy_test.cpp: what a copy that waits does with each order, and with each end.
#include "inproc/snapshot/waiting_copy.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inproc/os/clock.h"

namespace tenure::inproc {
namespace {

constexpr uint32_t kNumber = 3;

class WaitingCopy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_wait()) GTEST_SKIP() << "this kernel has no descriptors of processes";
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, link_), 0);
  }
  void TearDown() override {
    for (int end : link_) close(end);
  }
  bool is_to_walk(int program = getpid()) {
    return wait_for_order(orders_, kNumber, program, link_[0]);
  }
  // A process that has ended, and that nobody has waited for.
  static int ended_process() {
    int pid = fork();
    if (pid == 0) _exit(0);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    return pid;
  }

  WaitingOrders orders_{};
  int link_[2] = {-1, -1};
};

TEST_F(WaitingCopy, WalksWhenItIsTold) {
  orders_.walk(kNumber);
  EXPECT_TRUE(is_to_walk());
}

TEST_F(WaitingCopy, EndsWhenANewerOneShowsMore) {
  orders_.walk(kNumber + 1);
  orders_.dismiss_up_to(kNumber);
  EXPECT_FALSE(is_to_walk());
}

TEST_F(WaitingCopy, WalksWhereTheProgramDiedWithoutAnOrder) {
  orders_.dismiss_up_to(kNumber - 1);
  int program = ended_process();
  EXPECT_TRUE(is_to_walk(program));
  waitpid(program, nullptr, 0);
  EXPECT_TRUE(is_to_walk(program)) << "nothing is left of it";
}

TEST_F(WaitingCopy, WaitsForAnOrderOnTheWayAlsoWhenTheProgramHasDied) {
  int program = ended_process();
  orders_.come_by(now_ns() + 60'000'000'000);
  orders_.dismiss_up_to(kNumber);
  EXPECT_FALSE(is_to_walk(program));
  waitpid(program, nullptr, 0);
}

TEST_F(WaitingCopy, WalksWhenTheRunIsOverAndTheProgramIsNot) {
  ASSERT_EQ(send(link_[1], "", 1, 0), 1);
  EXPECT_TRUE(is_to_walk());
}

TEST_F(WaitingCopy, EndsWhenNobodyWouldTakeIt) {
  close(link_[1]);
  link_[1] = -1;
  EXPECT_FALSE(is_to_walk());
}

}  // namespace
}  // namespace tenure::inproc
