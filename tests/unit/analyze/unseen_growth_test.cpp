// tests/unit/analyze/unseen_growth_test.cpp: what the kernel saw of a process at many looks in, growth that no hook saw out.
#include "analyze/balance/unseen_growth.h"

#include <gtest/gtest.h>

#include "run_builder.h"

namespace tenure::analyze {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr int kSteps = 100;

// A run of equal steps, looked at after each: `unseen` MiB, and blocks that are estimated.
class Looks {
 public:
  template <class Unseen>
  explicit Looks(Unseen unseen, int every = 1, uint64_t small_in_a_step = 0, int blind_from = 0,
                 int blind_to = 0) {
    for (int i = 1; i <= kSteps; ++i) {
      run_.round(10);
      run_.end(run_.born(11, 4096));
      if (i % every || (i > blind_from && i < blind_to)) continue;
      record::MemoryMoment moment;
      moment.tick = static_cast<Tick>(i);
      moment.small = small_in_a_step * static_cast<uint64_t>(i);
      moment.live = 30 * kMiB;
      moment.anonymous = moment.live + moment.small + static_cast<uint64_t>(unseen(i)) * kMiB;
      moments_.push_back(moment);
    }
    run_.teardown();
  }

  UnseenGrowth growth(uint64_t retained = 0) {
    auto record = run_.record();
    return unseen_growth(Activity(record.ledgers.at(0), 1), moments_, retained);
  }
  Findings judged() {
    auto record = run_.record();
    record.outcome.processes[0].memory = moments_;
    record.outcome.processes[0].resident.peak = moments_.back().anonymous;
    return judge(record, {});
  }
  std::string line() {
    auto record = run_.record();
    Frames frames(record.ledgers.at(0), *record.symbols);
    auto place = line_of_growth(frames, growth());
    return place ? place->file + ":" + std::to_string(place->line) : "";
  }
  RunBuilder& run() { return run_; }

 private:
  RunBuilder run_;
  std::vector<record::MemoryMoment> moments_;
};

TEST(UnseenGrowth, SteadyGrowthIsMeasured) {
  UnseenGrowth growth = Looks([](int i) { return 2 * i; }).growth();
  EXPECT_TRUE(growth.is_measured);
  EXPECT_TRUE(growth.is_steady);
  EXPECT_NEAR(static_cast<double>(growth.bytes), 198.0 * kMiB, 8.0 * kMiB);
}

TEST(UnseenGrowth, SteadyGrowthIsUnknownHoweverSmallBesideTheRest) {
  Findings findings = Looks([](int i) { return 300 + i; }).judged();
  EXPECT_EQ(findings.verdict, Verdict::unknown);
  EXPECT_EQ(findings.losses.count("memory"), 1u);
}

// Its only block is the buffer of the last line that it prints.
TEST(UnseenGrowth, AHeapOfTheProgramsOwnIsMeasuredByProcessorTime) {
  auto judged = [](auto unseen) {
    RunBuilder run;
    std::vector<record::MemoryMoment> moments;
    for (uint64_t i = 1; i <= kSteps; ++i) {
      run.work(0.01);
      record::MemoryMoment moment;
      moment.tick = i == kSteps;
      moment.cpu_ns = i * 10'000'000;
      moment.anonymous = unseen(i) * kMiB;
      moments.push_back(moment);
    }
    run.born(11, 4096);
    auto record = run.record();
    return unseen_growth(Activity(record.ledgers.at(0), 0), moments, 0);
  };
  UnseenGrowth leaks = judged([](uint64_t i) { return 2 * i; });
  EXPECT_TRUE(leaks.is_measured && leaks.is_steady);
  UnseenGrowth loads = judged([](uint64_t i) { return std::min<uint64_t>(4 * i, 100); });
  EXPECT_TRUE(loads.is_measured && !loads.is_steady);
}

TEST(UnseenGrowth, LittleGrowthIsNone) {
  EXPECT_EQ(Looks([](int i) { return 22 * i / 100; }).judged().verdict, Verdict::clean);
  EXPECT_EQ(Looks([](int i) { return 28 * i / 100; }).judged().verdict, Verdict::unknown);
  // Of 1,000 MiB that are resident, 5 %.
  EXPECT_EQ(Looks([](int i) { return 970 + 45 * i / 100; }).judged().verdict, Verdict::clean);
  EXPECT_EQ(Looks([](int i) { return 970 + 60 * i / 100; }).judged().verdict, Verdict::unknown);
}

TEST(UnseenGrowth, LoadingAndWarmingUpAreNoGrowth) {
  auto loads = [](int i) { return std::min(i, 60) * 5; };
  EXPECT_FALSE(Looks(loads).growth().is_steady) << "it stayed";
  EXPECT_EQ(Looks(loads).judged().verdict, Verdict::clean) << "however much it is";
  auto warms_up = [](int i) { return i < 30 ? 10 * i : 300 + i / 2; };
  EXPECT_FALSE(Looks(warms_up).growth().is_steady) << "ever less comes";
  auto late = [](int i) { return i < 40 ? 0 : 3 * (i - 40); };
  EXPECT_TRUE(Looks(late).growth().is_steady) << "a phase of its own";
}

TEST(UnseenGrowth, OneJumpIsNoGrowth) {
  auto jumps = [](int i) { return i < 80 ? 10 : 500; };
  EXPECT_FALSE(Looks(jumps).growth().is_steady);
  EXPECT_TRUE(Looks([](int i) { return i / 10 * 50; }).growth().is_steady);
  EXPECT_TRUE(Looks([](int i) { return i / 16 * 50; }).growth().is_steady);
  EXPECT_FALSE(Looks([](int i) { return i / 25 * 50; }).growth().is_steady) << "a few jumps";
  auto twice = [](int i) { return i < 95 ? std::min(i, 60) : 60 + 20 * (i - 94); };
  EXPECT_FALSE(Looks(twice).growth().is_steady) << "not at one pace";
}

TEST(UnseenGrowth, NobodyLookedWhileItGrew) {
  auto grows = [](int i) { return 3 * i; };
  EXPECT_TRUE(Looks(grows, 1, 0, 50, 70).growth().is_measured);
  EXPECT_TRUE(Looks(grows, 1, 0, 20, 60).growth().is_measured) << "less than half came";
  EXPECT_FALSE(Looks(grows, 1, 0, 20, 80).growth().is_measured);
  EXPECT_EQ(Looks(grows, 1, 0, 20, 80).judged().verdict, Verdict::unknown) << "it is much";
}

TEST(UnseenGrowth, WhatFallsBackIsNotKept) {
  auto saw_tooth = [](int i) { return i % 10 * 40; };
  EXPECT_FALSE(Looks(saw_tooth).growth().is_steady);
  auto second_tooth = [](int i) { return i < 50 ? 3 * i : 7 * (i - 50); };
  EXPECT_TRUE(Looks(second_tooth).growth().is_steady) << "less than half of it was there before";
  auto same_tooth = [](int i) { return i < 50 ? 4 * i : 6 * (i - 50); };
  EXPECT_FALSE(Looks(same_tooth).growth().is_steady);
  auto rising = [](int i) { return i % 10 * 10 + 3 * i; };
  EXPECT_TRUE(Looks(rising).growth().is_steady) << "its floor rises";
}

TEST(UnseenGrowth, WhatIsReleasedAtTheEndWasHeld) {
  auto released = [](int i) { return i >= 97 ? 0 : 3 * i; };
  EXPECT_TRUE(Looks(released).growth().is_steady);
  auto released_before = [](int i) { return i >= 90 ? 0 : 3 * i; };
  EXPECT_FALSE(Looks(released_before).growth().is_steady);
}

TEST(UnseenGrowth, AFewLooksTellNothing) {
  auto grows = [](int i) { return 3 * i; };
  EXPECT_FALSE(Looks(grows, 14).growth().is_measured) << "seven";
  EXPECT_TRUE(Looks(grows, 12).growth().is_measured) << "eight";
  EXPECT_EQ(Looks(grows, 14).judged().verdict, Verdict::unknown) << "it is much";
}

TEST(UnseenGrowth, TheLastLookMayBeTheOnlyOneOfTheLastThird) {
  EXPECT_TRUE(Looks([](int i) { return 3 * i; }, 8, 0, 64, 88).growth().is_steady);
}

TEST(UnseenGrowth, WhatAllocatorsKeepFreeIsNoGrowth) {
  Looks looks([](int i) { return 2 * i; });
  EXPECT_EQ(looks.growth(300 * kMiB).bytes, 0u);
  EXPECT_LT(looks.growth(100 * kMiB).bytes, 100 * kMiB);
}

TEST(UnseenGrowth, RoundingOfSmallBlocksIsNoGrowth) {
  auto grows = [](int i) { return i; };
  EXPECT_EQ(Looks(grows, 1, 2 * kMiB).growth().bytes, 0u);
  EXPECT_NEAR(static_cast<double>(Looks(grows, 1, kMiB).growth().bytes), 50.0 * kMiB, 5.0 * kMiB);
}

TEST(UnseenGrowth, TheLineThatRanAllAlongIsNamed) {
  Looks alone([](int i) { return 2 * i; });
  EXPECT_EQ(alone.line(), "train.py:11");
  for (int i = 0; i < 7; ++i) alone.run().make_and_end(21, 4096);
  EXPECT_EQ(alone.line(), "train.py:11") << "not all along";
  alone.run().make_and_end(21, 4096);
  EXPECT_EQ(alone.line(), "train.py:11") << "after it had grown";
}

}  // namespace
}  // namespace tenure::analyze
