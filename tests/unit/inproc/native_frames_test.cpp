// tests/unit/inproc/native_frames_test.cpp: ordinary code of every shape: the same frames as glibc's backtrace().
#include "inproc/stacks/native_frames.h"

#include <alloca.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "native_captures.h"

namespace tenure::inproc {
namespace {

#if !defined(__x86_64__)
#define SKIP_WITHOUT_UNWINDER() GTEST_SKIP() << "native frames are read on x86-64 only"
#else
#define SKIP_WITHOUT_UNWINDER() (void)0
#endif

// Keeps calls from becoming jumps and results from being computed at compile time.
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

__attribute__((noinline, optimize("O0"))) long unoptimised(int depth, TwoCaptures* out) {
  if (depth > 0) return unoptimised(depth - 1, out) + 1;
  capture_both(out);
  return 0;
}

__attribute__((noinline, optimize("O2", "omit-frame-pointer"))) long frameless(int depth,
                                                                               TwoCaptures* out) {
  if (depth > 0) {
    const long below = frameless(depth - 1, out);
    g_sink = g_sink + below;
    return below + 1;
  }
  capture_both(out);
  g_sink = g_sink + 1;
  return 0;
}

// Stack pointer unknown at compile time.
__attribute__((noinline)) void with_alloca(size_t bytes, TwoCaptures* out) {
  auto* space = static_cast<volatile char*>(alloca(bytes));
  space[bytes - 1] = 1;
  capture_both(out);
  g_sink = g_sink + space[bytes - 1];
}

// Realigned stack; together with alloca gcc addresses the arguments through a second register (DRAP).
template <size_t Alignment>
__attribute__((noinline)) void with_aligned_locals(size_t bytes, TwoCaptures* out, long a, long b,
                                                   long c, long d, long on_stack) {
  alignas(Alignment) volatile char aligned[2 * Alignment];
  auto* space = static_cast<volatile char*>(alloca(bytes));
  aligned[0] = 1;
  space[0] = 1;
  capture_both(out);
  g_sink = g_sink + aligned[0] + space[0] + a + b + c + d + on_stack;
}

__attribute__((noinline)) void with_huge_frame(TwoCaptures* out) {
  volatile char space[1 << 20];
  space[0] = 1;
  capture_both(out);
  g_sink = g_sink + space[0];
}

__attribute__((noinline)) void thrower() { throw std::runtime_error("in flight"); }

TwoCaptures* g_capture_in_comparison = nullptr;

int compare_and_capture(const void* a, const void* b) {
  if (g_capture_in_comparison->our_count == 0) capture_both(g_capture_in_comparison);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

class NativeFrames : public ::testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_UNWINDER(); }
  TwoCaptures both;
};

TEST_F(NativeFrames, FollowRecursion) {
  for (int depth : {0, 1, 7, 100}) {
    both = {};
    recurse(depth, &both);
    expect_same(both);
  }
}

TEST_F(NativeFrames, FollowUnoptimisedAndFramelessCode) {
  unoptimised(20, &both);
  expect_same(both);
  both = {};
  frameless(20, &both);
  expect_same(both);
}

TEST_F(NativeFrames, FollowLambdasAndStdFunction) {
  const std::function<void(int)> nested = [&](int depth) {
    if (depth == 0) {
      capture_both(&both);
    } else {
      nested(depth - 1);
    }
    g_sink = g_sink + depth;
  };
  nested(5);
  expect_same(both);
}

TEST_F(NativeFrames, FollowComparisonInsideStdSort) {
  std::vector<int> values = {3, 1, 2, 9, 8, 7};
  bool is_first = true;
  std::sort(values.begin(), values.end(), [&](int a, int b) {
    if (is_first) capture_both(&both);
    is_first = false;
    return a < b;
  });
  expect_same(both);
}

TEST_F(NativeFrames, FollowCallbacksThroughLibc) {
  std::vector<int> values = {3, 1, 2, 9, 8, 7};
  g_capture_in_comparison = &both;
  std::qsort(values.data(), values.size(), sizeof(int), compare_and_capture);
  expect_same(both);
}

TEST_F(NativeFrames, FollowFunctionsWithAlloca) {
  for (size_t bytes : {16, 1000, 100000}) {
    both = {};
    with_alloca(bytes, &both);
    expect_same(both);
  }
}

TEST_F(NativeFrames, FollowRealignedStacks) {
  with_aligned_locals<64>(100, &both, 1, 2, 3, 4, 5);
  expect_same(both);
  both = {};
  with_aligned_locals<4096>(1000, &both, 1, 2, 3, 4, 5);
  expect_same(both);
}

TEST_F(NativeFrames, FollowFramesLargerThanManyPages) {
  with_huge_frame(&both);
  expect_same(both);
}

TEST_F(NativeFrames, FollowInsideACatchBlock) {
  try {
    thrower();
  } catch (const std::runtime_error&) {
    capture_both(&both);
  }
  expect_same(both);
}

TEST_F(NativeFrames, FollowDestructorsDuringUnwinding) {
  struct CaptureAtEnd {
    TwoCaptures* out;
    ~CaptureAtEnd() { capture_both(out); }
  };
  try {
    CaptureAtEnd at_end{&both};
    thrower();
  } catch (const std::runtime_error&) {
  }
  expect_same(both);
}

TEST_F(NativeFrames, EndWhereAThreadBegan) {
  std::thread([&] { recurse(10, &both); }).join();
  expect_same(both);
}

TEST_F(NativeFrames, StopAtMaxAndSaySo) {
  NativeFrame frames[3] = {};
  bool is_truncated = false;
  EXPECT_EQ(capture_native(frames, 2, &is_truncated), 2);
  EXPECT_TRUE(is_truncated);
  EXPECT_EQ(frames[2].pc, 0u);
  EXPECT_EQ(capture_native(frames, 0, &is_truncated), 0);
}

TEST_F(NativeFrames, StayTheSameAfterForgetting) {
  recurse(5, &both);
  forget_native_rows();
  TwoCaptures again;
  recurse(5, &again);
  expect_same(both);
  expect_same(again);
  EXPECT_EQ(both.our_count, again.our_count);
}

}  // namespace
}  // namespace tenure::inproc
