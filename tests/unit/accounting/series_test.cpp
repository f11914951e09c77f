// tests/unit/accounting/series_test.cpp: steps against ticks: marks thin themselves out and always span the run.
#include <gtest/gtest.h>
#include <string.h>

#include "../ledger/memory_ledger.h"
#include "inproc/stacks/series_table.h"
#include "inproc/stacks/stack_table.h"

namespace tenure::inproc {
namespace {

using ledger::kMarks;
using ledger::Series;

void expect_spans(const Series& series, uint64_t last_count) {
  ASSERT_GE(series.marks_used, kMarks / 4);
  ASSERT_LE(series.marks_used, kMarks);
  for (uint32_t i = 1; i < series.marks_used; ++i) {
    EXPECT_GT(series.marks[i].count, series.marks[i - 1].count);
    EXPECT_GE(series.marks[i].tick, series.marks[i - 1].tick);
    EXPECT_GE(series.marks[i].count - series.marks[i - 1].count, series.stride);
  }
  EXPECT_LE(series.marks[0].count, last_count / 8 + series.stride);
  EXPECT_GE(series.marks[series.marks_used - 1].count + 2 * series.stride, last_count);
}

TEST(SeriesMarks, EachStepIsMarkedWhileThereIsRoom) {
  Series series{};
  for (uint64_t i = 1; i <= kMarks; ++i) add_mark(series, i * 10, i);
  EXPECT_EQ(series.marks_used, kMarks);
  EXPECT_EQ(series.marks[5].count, 6u);
  EXPECT_EQ(series.marks[5].tick, 60u);
}

TEST(SeriesMarks, SpanTheRunHoweverLongItGets) {
  Series series{};
  for (uint64_t i = 1; i <= 1000000; ++i) {
    add_mark(series, i * 3, i);
    if (i > kMarks && i % 99991 == 0) expect_spans(series, i);
  }
  expect_spans(series, 1000000);
}

TEST(SeriesMarks, SpanTheRunAlsoWhenCountsJump) {
  Series series{};
  uint64_t count = 0;
  for (uint64_t i = 1; i <= 5000; ++i) {
    count += 1 + i % 50;
    add_mark(series, i, count);
  }
  expect_spans(series, count);
}

class SeriesRoom : public testing::Test {
 protected:
  SeriesRoom() {
    stacks_.start(&ledger_.writer());
    series_.start(&ledger_.writer());
  }
  CodeId code_of(const char* file) {
    return stacks_.code({stacks_.string(file, static_cast<uint32_t>(strlen(file))), {}, 1, 0});
  }
  SeriesId loop_of(const char* file, StackId prefix = {}) {
    return series_.find({ledger::SeriesKind::python_loop, prefix, code_of(file).value, 1, 1, 9});
  }
  // Below the interpreter's own code that loads modules.
  StackId imported() {
    ledger::Frame frame{};
    frame.kind = static_cast<uint32_t>(ledger::FrameKind::python);
    frame.owner = code_of("<frozen importlib._bootstrap>").value;
    return stacks_.stack({}, stacks_.frame(frame));
  }

  void grow_along(SeriesId loop, bool calls_program) {
    for (int round = 1; round <= 16; ++round) {
      ledger_.writer().header().live_bytes.fetch_add(2 * ledger::kLevelBytes);
      series_.count(loop, Move::counted, 1, calls_program);
    }
  }

  ledger::MemoryLedger ledger_;
  StackTable stacks_;
  SeriesTable series_;
};

TEST_F(SeriesRoom, LoopsOfNativeCodeLeaveRoomForTheUsers) {
  for (uint32_t i = 1; i <= 8000; ++i)
    series_.find({ledger::SeriesKind::native_move, {}, 1, 0, i, i + 8});
  EXPECT_NE(loop_of("train.py"), kNotKept);
  EXPECT_EQ(loop_of("/x/site-packages/jax/core.py"), kNotKept);
}

// A pool's thread, an event loop: what its tasks keep grows along with it.
TEST_F(SeriesRoom, ALoopOfALibraryThatGrowsIsSeenToo) {
  SeriesId loop = loop_of("/usr/lib/python3.11/concurrent/futures/thread.py");
  grow_along(loop, true);
  EXPECT_TRUE(series_.has_grown());
}

// What a library makes by itself is its own business.
TEST_F(SeriesRoom, ALoopOfALibraryIsNotWatchedThatCallsNothingOfTheProgram) {
  SeriesId loop = loop_of("/x/site-packages/matplotlib/axes/_base.py");
  grow_along(loop, false);
  EXPECT_FALSE(series_.has_grown());
}

// So is what it does in each round of the user's.
TEST_F(SeriesRoom, ALoopOfALibraryIsNotWatchedBesideOneOfTheUsers) {
  for (int round = 1; round <= 2; ++round) series_.count(loop_of("train.py"), Move::counted);
  grow_along(loop_of("/x/site-packages/jax/core.py"), true);
  EXPECT_FALSE(series_.has_grown());
}

// What loads modules is no work of the program's.
TEST_F(SeriesRoom, ALoopOfAnImportIsNotWatched) {
  grow_along(loop_of("/x/site-packages/jax/core.py", imported()), true);
  EXPECT_FALSE(series_.has_grown());
}

TEST_F(SeriesRoom, ALoopThatGrowsIsSeenAtItsSixteenthRound) {
  SeriesId loop = loop_of("train.py");
  for (int round = 1; round <= 16; ++round) {
    EXPECT_FALSE(series_.has_grown());
    ledger_.writer().header().live_bytes.fetch_add(2 * ledger::kLevelBytes);
    series_.count(loop, Move::counted);
  }
  EXPECT_TRUE(series_.has_grown());
  EXPECT_EQ(series_.grown_levels(), 16u);  // since its eighth round
  for (int round = 17; round <= 32; ++round) {
    ledger_.writer().header().live_bytes.fetch_add(2 * ledger::kLevelBytes);
    series_.count(loop, Move::counted);
  }
  EXPECT_EQ(series_.grown_levels(), 48u);
}

TEST_F(SeriesRoom, ALoopThatGoesUpAndDownIsLookedAtOnce) {
  SeriesId loop = loop_of("train.py");
  auto run_to = [&, round = uint64_t{0}](uint64_t last, uint64_t levels) mutable {
    ledger_.writer().header().live_bytes = levels * ledger::kLevelBytes;
    for (; round < last; ++round) series_.count(loop, Move::counted);
    return series_.has_grown();
  };
  EXPECT_FALSE(run_to(8, 10));
  EXPECT_TRUE(run_to(16, 19));  // nine more
  series_.forget_growth();
  EXPECT_FALSE(run_to(32, 12));
  EXPECT_FALSE(run_to(64, 24));
  EXPECT_FALSE(run_to(128, 20));
  EXPECT_TRUE(run_to(256, 26));  // sixteen more
}

}  // namespace
}  // namespace tenure::inproc
