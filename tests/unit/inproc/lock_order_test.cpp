// World: unit test.
#include "inproc/os/lock_order.h"

#include <gtest/gtest.h>

#include <atomic>

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {
namespace {

std::atomic<uint8_t> g_site{0}, g_memory{0}, g_other_site{0};

TEST(LockOrder, LocksMayBeTakenDownwardsAgainAndAgain) {
  for (int i = 0; i < 3; ++i) {
    SpinGuard site(g_site, LockRank::site);
    SpinGuard memory(g_memory, LockRank::own_memory);
  }
}

#ifndef NDEBUG
void take_upwards() {
  SpinGuard memory(g_memory, LockRank::own_memory);
  SpinGuard site(g_site, LockRank::site);
}

void take_two_of_a_kind() {
  SpinGuard first(g_site, LockRank::site);
  SpinGuard second(g_other_site, LockRank::site);
}

TEST(LockOrderDeathTest, TheOtherWayIsRefused) {
  EXPECT_DEATH(take_upwards(), "belongs before one that is held");
}

TEST(LockOrderDeathTest, TwoOfAKindHaveNoOrder) {
  EXPECT_DEATH(take_two_of_a_kind(), "belongs before one that is held");
}
#endif

}  // namespace
}  // namespace tenure::inproc
