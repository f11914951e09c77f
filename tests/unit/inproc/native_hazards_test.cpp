// tests/unit/inproc/native_hazards_test.cpp: places where an unwinder may hang, crash or lie: signal handlers, the loader's
// lock, generated code, broken stacks, many threads at once.
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "native_captures.h"

namespace tenure::inproc {
namespace {

#if defined(__x86_64__)

thread_local volatile long g_sink = 0;

__attribute__((noinline)) long recurse(int depth, TwoCaptures* out) {
  if (depth == 0) {
    capture_both(out);
    return 1;
  }
  const long below = recurse(depth - 1, out);
  g_sink = g_sink + below;
  return below + 1;
}

TwoCaptures g_in_handler;
NativeFrame g_interrupted[TwoCaptures::kMax];
int g_interrupted_count = 0;
bool g_interrupted_is_truncated = true;

void handle(int, siginfo_t*, void* context) {
  capture_both(&g_in_handler);
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const NativeRegisters at = {static_cast<uintptr_t>(registers[REG_RIP]),
                              static_cast<uintptr_t>(registers[REG_RSP]),
                              static_cast<uintptr_t>(registers[REG_RBP])};
  g_interrupted_count =
      capture_native_at(at, g_interrupted, TwoCaptures::kMax, &g_interrupted_is_truncated);
}

class NativeInSignalHandler : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer runs signal handlers later, from a frame of its own";
#endif
    g_in_handler = {};
    stack_t alternate = {alternate_, 0, sizeof alternate_};
    ASSERT_EQ(sigaltstack(&alternate, nullptr), 0);
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | GetParam();
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before_), 0);
  }
  void TearDown() override {
    sigaction(SIGUSR1, &before_, nullptr);
    stack_t none = {nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
  }
  char alternate_[1 << 16];
  struct sigaction before_{};
};

TEST_P(NativeInSignalHandler, StopsAtTheSignalFrame) {
  raise(SIGUSR1);
  EXPECT_TRUE(g_in_handler.is_truncated);
  EXPECT_EQ(g_in_handler.our_count, 2) << "the handler and the kernel's trampoline";
  expect_same_frames(g_in_handler, g_in_handler.our_count);
}

TEST_P(NativeInSignalHandler, FollowsTheInterruptedCodeFromItsRegisters) {
  raise(SIGUSR1);
  EXPECT_FALSE(g_interrupted_is_truncated);
  ASSERT_EQ(g_interrupted_count, g_in_handler.their_count - 2);
  for (int i = 1; i < g_interrupted_count; ++i) {
    EXPECT_EQ(g_interrupted[i].pc, reinterpret_cast<uintptr_t>(g_in_handler.theirs[i + 2]))
        << "frame " << i;
  }
  EXPECT_EQ(g_interrupted[0].pc - 1, reinterpret_cast<uintptr_t>(g_in_handler.theirs[2]));
}

INSTANTIATE_TEST_SUITE_P(OnEitherStack, NativeInSignalHandler, ::testing::Values(0, SA_ONSTACK));

int capture_with_loader_lock(dl_phdr_info*, size_t, void* out) {
  capture_both(static_cast<TwoCaptures*>(out));
  return 1;
}

TEST(NativeUnderLoaderLock, CapturesInTheThreadThatHoldsIt) {
  forget_native_rows();
  TwoCaptures both;
  dl_iterate_phdr(capture_with_loader_lock, &both);
  expect_same(both);
}

bool has_lock_free_lookup() {
  int major = 0, minor = 0;
  return std::sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 &&
         (major > 2 || minor >= 35);
}

// The other thread must finish while we sit in the callback, lock held.
int wait_for_other_thread(dl_phdr_info*, size_t, void* count) {
  auto other = std::async(std::launch::async, [] {
    forget_native_rows();
    NativeFrame frames[64];
    bool is_truncated;
    return capture_native(frames, 64, &is_truncated);
  });
  *static_cast<int*>(count) = other.get();
  return 1;
}

TEST(NativeUnderLoaderLock, CapturesInAnotherThreadWithoutWaiting) {
  if (!has_lock_free_lookup()) GTEST_SKIP() << "glibc before 2.35 has no lock-free object lookup";
  int count = 0;
  dl_iterate_phdr(wait_for_other_thread, &count);
  EXPECT_GT(count, 2);
}

void capture_and_return(TwoCaptures* out) {
  capture_both(out);
  g_sink = g_sink + 1;
}

TEST(NativeInGeneratedCode, StopsAtTheCodeWithoutTable) {
  // push rdi / mov rdi, rsi / mov rax, [rsp] / call rax / pop rdi / ret: calls its first argument with its second.
  const unsigned char code[] = {0x57, 0x48, 0x89, 0xf7, 0x48, 0x8b,
                                0x04, 0x24, 0xff, 0xd0, 0x5f, 0xc3};
  void* page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) GTEST_SKIP() << "writable and executable memory is not allowed here";
  std::memcpy(page, code, sizeof code);
  TwoCaptures both;
  const auto call = reinterpret_cast<void (*)(void (*)(TwoCaptures*), TwoCaptures*)>(page);
  call(capture_and_return, &both);
  EXPECT_EQ(both.our_count, 2);
  EXPECT_TRUE(both.is_truncated);
  EXPECT_EQ(both.ours[1].function, 0u);
  EXPECT_EQ(both.ours[1].pc, reinterpret_cast<uintptr_t>(page) + 10);
  munmap(page, 4096);
}

class NativeOnBrokenStack : public ::testing::Test {
 protected:
  void SetUp() override {
    pages_ = static_cast<char*>(
        mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(pages_, MAP_FAILED);
    std::memset(pages_, 0x41, 3 * 4096);  // not 0: a return address of 0 ends a stack
    ASSERT_EQ(mprotect(pages_ + 4096, 4096, PROT_NONE),
              0);  // a guard page, as above the stack of a thread
    NativeFrame frames[1];
    bool is_truncated;
    ASSERT_EQ(capture_native(frames, 1, &is_truncated), 1);
    pc_ = frames[0].pc;
  }
  void TearDown() override { munmap(pages_, 3 * 4096); }
  void expect_no_crash(uintptr_t sp, uintptr_t bp) {
    NativeFrame frames[8];
    bool is_truncated = false;
    const int count = capture_native_at({pc_, sp, bp}, frames, 8, &is_truncated);
    EXPECT_GE(count, 1);
    EXPECT_TRUE(is_truncated);
  }
  char* pages_ = nullptr;
  uintptr_t pc_ = 0;
};

TEST_F(NativeOnBrokenStack, StopsAtUnreadablePages) {
  const auto end = reinterpret_cast<uintptr_t>(pages_) + 4096;
  for (uintptr_t distance : {0, 8, 16, 64, 128, 4096})
    expect_no_crash(end - distance, end - distance);
  expect_no_crash(end - 8, 0);
}

TEST_F(NativeOnBrokenStack, StopsAtSenselessFramePointers) {
  const auto sp = reinterpret_cast<uintptr_t>(pages_);
  for (uintptr_t bp : {uintptr_t{0}, uintptr_t{1}, ~uintptr_t{0}, uintptr_t{0x8000000000000000},
                       sp + 4096, sp + 9, sp - 4096}) {
    expect_no_crash(sp, bp);
  }
}

TEST_F(NativeOnBrokenStack, StopsWhenEveryWordIsGarbage) {
  for (int seed = 0; seed < 200; ++seed) {
    std::srand(seed);
    for (int i = 0; i < 4096; ++i) pages_[i] = static_cast<char>(std::rand());
    const auto sp = reinterpret_cast<uintptr_t>(pages_) + 8 * (seed % 400);
    expect_no_crash(sp, sp + 8 * (seed % 50));
  }
}

TEST(NativeInManyThreads, AgreesWhileRowsAreForgotten) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([t] {
      for (int round = 0; round < 300; ++round) {
        TwoCaptures both;
        recurse(t + round % 5, &both);
        expect_same(both);
      }
    });
  }
  std::thread forgetter([&] {
    while (!is_over.load(std::memory_order_relaxed)) {
      forget_native_rows();
      std::this_thread::yield();
    }
  });
  for (auto& thread : threads) thread.join();
  is_over.store(true, std::memory_order_relaxed);
  forgetter.join();
}

#else

TEST(NativeFrames, AreEmptyAndCutWhereThereIsNoUnwinder) {
  NativeFrame frame;
  bool is_truncated = false;
  EXPECT_EQ(capture_native(&frame, 1, &is_truncated), 0);
  EXPECT_TRUE(is_truncated);
}

#endif

}  // namespace
}  // namespace tenure::inproc
