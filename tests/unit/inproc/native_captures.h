// tests/unit/inproc/native_captures.h: our capture and glibc's backtrace() side by side, taken at the same place.
// For the tests native_*_test.cpp.
#pragma once
#include <gtest/gtest.h>
#include <unwind.h>

#include <cstdint>

#include "inproc/os/elf_symbols.h"
#include "inproc/stacks/native_frames.h"

namespace tenure::inproc {

struct TwoCaptures {
  static constexpr int kMax = 256;
  NativeFrame ours[kMax];
  void* theirs[kMax];
  int our_count = 0, their_count = 0;
  bool is_truncated = false;
  NativeFrame remembered[NativeMemo::kMost];
  int remembered_count = 0;
  bool remembered_is_truncated = false;
};

// Kept over all tests of a thread, so that every walk finds another one to join.
inline thread_local NativeMemo g_native_memo{};

// libc's own: sanitizers put a function of theirs, with a frame of its own, before it.
inline int (*const g_backtrace)(void**, int) =
    reinterpret_cast<int (*)(void**, int)>(find_symbol_in("/libc.so.6", "backtrace"));

// Inlined, so that both start in the function under test; they differ only in the first return address.
__attribute__((always_inline)) inline void capture_both(TwoCaptures* out) {
  out->our_count = capture_native(out->ours, TwoCaptures::kMax, &out->is_truncated);
  for (int again = 0; again < 2; ++again)  // the second one finds the first in the memo
    out->remembered_count = capture_native(g_native_memo, out->remembered, NativeMemo::kMost,
                                           &out->remembered_is_truncated);
  out->their_count = g_backtrace(out->theirs, TwoCaptures::kMax);
}

inline uintptr_t enclosing_function(uintptr_t return_address) {
  return reinterpret_cast<uintptr_t>(
      _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(return_address)));
}

// The walk with a memo sees what the walk without sees, but for the first return address.
inline void expect_same_with_memo(const TwoCaptures& both) {
  if (both.remembered_count == 0) return;  // this capture was taken without
  const int count = both.our_count < NativeMemo::kMost ? both.our_count : NativeMemo::kMost;
  ASSERT_EQ(both.remembered_count, count);
  EXPECT_EQ(both.remembered_is_truncated, both.is_truncated || both.our_count > NativeMemo::kMost);
  for (int i = 0; i < count; ++i) {
    EXPECT_TRUE(i == 0 || both.remembered[i].pc == both.ours[i].pc) << "frame " << i;
    EXPECT_EQ(both.remembered[i].function, both.ours[i].function) << "frame " << i;
  }
}

inline void expect_same_frames(const TwoCaptures& both, int count) {
  expect_same_with_memo(both);
  ASSERT_GE(both.our_count, count);
  ASSERT_GE(both.their_count, count);
  for (int i = 0; i < count; ++i) {
    const auto theirs = reinterpret_cast<uintptr_t>(both.theirs[i]);
    EXPECT_TRUE(i == 0 || both.ours[i].pc == theirs) << "frame " << i;
    EXPECT_EQ(both.ours[i].function, enclosing_function(theirs)) << "frame " << i;
  }
}

// The whole stack, to where the thread began.
inline void expect_same(const TwoCaptures& both) {
  EXPECT_EQ(both.our_count, both.their_count);
  EXPECT_FALSE(both.is_truncated);
  expect_same_frames(both, both.their_count);
}

}  // namespace tenure::inproc
