// tests/unit/accounting/stress_test.cpp: the in-process parts as a plain library, as the hooks drive them: threads that
// make, resize and end each other's blocks while others are born and die and the process forks. For the sanitizers, which
// cannot see into a preloaded heap. Its length grows with TENURE_STRESS_ROUNDS.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "contract.h"

namespace tenure::inproc {
namespace {

constexpr int kThreads = 4, kShared = 64;

int rounds() {
  const char* text = std::getenv("TENURE_STRESS_ROUNDS");
  return text ? std::atoi(text) : 3000;
}

class Stress : public ::testing::Test {
 public:
  void SetUp() override {
    static const bool is_on = territory().start();
    if (!is_on) GTEST_SKIP() << "the addresses of the territory are not free here";
    g_ledger_memory = map_ledger();
    g_thread = {};
    accounting_->start(&join_in_test, true);
  }

  // As hooks/libc_heap.cpp does: a birth after the real call, an end before it.
  unsigned char* make(size_t n) {
    void* p = territory().allocate(n, 16, false);
    if (!p) p = std::malloc(n);
    fill(p, n);
    accounting_->born(p, n, ledger::BlockKind::heap, 0x1234, false);
    return static_cast<unsigned char*>(p);
  }
  void end(unsigned char* p) {
    check(p);
    accounting_->ended(p);
    if (territory().owns(p)) return territory().release(p);
    std::free(p);
  }
  unsigned char* resize(unsigned char* p, size_t n) {
    check(p);
    accounting_->ended(p);
    void* now = territory().owns(p) ? territory().resize(p, n) : nullptr;
    if (!now) {
      if (territory().owns(p))
        territory().release(p);
      else
        std::free(p);
      return make(n);
    }
    fill(now, n);
    accounting_->born(now, n, ledger::BlockKind::heap, 0x1234, true);
    return static_cast<unsigned char*>(now);
  }

  void live(uint64_t seed, int times) {
    std::mt19937_64 dice(seed);
    for (int i = 0; i < times; ++i) {
      const size_t n = dice() % 16 ? 1024 + dice() % 20000 : 130000 + dice() % 500000;
      unsigned char* p = make(n);
      if (dice() % 3 == 0) p = resize(p, 1024 + dice() % 200000);
      if (unsigned char* older = shared_[dice() % kShared].exchange(p)) end(older);
    }
    territory().close_thread();
  }

  int child_works() {
    g_ledger_memory = map_ledger();
    accounting_->after_fork_in_child();
    territory().after_fork_in_child();
    for (auto& slot : shared_) slot = nullptr;
    for (int i = 0; i < 50; ++i) end(make(1024 + static_cast<size_t>(i) * 5000));
    return wrong_.load() == 0 && accounting_->ledger().header().pid == getpid() ? 0 : 1;
  }

  static void fill(void* p, size_t n) {
    std::memset(p, static_cast<int>(n % 251), n);
    std::memcpy(p, &n, sizeof n);
  }
  void check(const unsigned char* p) {
    size_t n;
    std::memcpy(&n, p, sizeof n);
    wrong_ += p[n - 1] != n % 251 || p[n / 2] != n % 251;
  }

  std::unique_ptr<Accounting> accounting_ = std::make_unique<Accounting>();
  std::atomic<unsigned char*> shared_[kShared] = {};
  std::atomic<int> wrong_{0};
};

TEST_F(Stress, ThreadsThatComeAndGoLeaveExactBooks) {
  const int times = rounds();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([=, this] { live(t, times); });
  for (int i = 0; i < 50; ++i) std::thread([=, this] { live(100 + i, times / 50); }).join();
  for (std::thread& thread : threads) thread.join();
  uint64_t held = 0;
  for (auto& slot : shared_) {
    size_t n = 0;
    if (slot) std::memcpy(&n, slot.load(), sizeof n);
    held += n;
  }
  EXPECT_EQ(accounting_->ledger().header().live_bytes.load(), held);
  for (auto& slot : shared_) {
    if (slot) end(slot.exchange(nullptr));
  }
  EXPECT_EQ(accounting_->ledger().header().live_bytes.load(), 0u);
  EXPECT_EQ(wrong_.load(), 0);
}

TEST_F(Stress, ChildrenThatAreForkedInTheMiddleOfItWork) {
  const int times = rounds() / 2;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([=, this] { live(t, times); });
  int failed = 0;
  for (int i = 0; i < 20; ++i) {
    pid_t child = fork();
    if (child == 0) _exit(child_works());
    int status = 1;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(wrong_.load(), 0);
}

}  // namespace
}  // namespace tenure::inproc
