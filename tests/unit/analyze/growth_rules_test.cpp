// tests/unit/analyze/growth_rules_test.cpp: shapes of memory over time, and the rule that decides each: one row per rule of
// the design. The loop stands on line 10, what is judged is made on line 11.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "run_builder.h"

namespace tenure::analyze {
namespace {

constexpr uint64_t kBytes = 100'000;

void step(RunBuilder& run) {
  run.round(10);
  run.make_and_end(12, 4096);
}

// `births(i)`: how many blocks step i makes that stay.
auto stays(int steps, std::function<int(int)> births) {
  return [=](RunBuilder& run) {
    for (int i = 0; i < steps; ++i) {
      step(run);
      for (int k = births(i); k > 0; --k) run.born(11, kBytes);
    }
  };
}

// Piles up `most` blocks, frees them all, begins again.
auto saw_tooth(int steps, size_t most) {
  return [=](RunBuilder& run) {
    std::vector<RunBuilder::Block> held;
    for (int i = 0; i < steps; ++i) {
      step(run);
      held.push_back(run.born(11, kBytes));
      if (held.size() < most) continue;
      for (const auto& block : held) run.end(block);
      held.clear();
    }
  };
}

// Each round gives its block up again, but those from the round `from` on, of which `most` are there at once.
auto keeps_late(int rounds, int from, size_t most) {
  return [=](RunBuilder& run) {
    std::vector<RunBuilder::Block> kept;
    for (int i = 0; i < rounds; ++i) {
      step(run);
      kept.push_back(run.born(11, kBytes));
      size_t room = i < from ? 0 : most;
      for (; kept.size() > room; kept.erase(kept.begin())) run.end(kept.front());
    }
  };
}

// One block, resized or copied to more and more; or one that is given up before the next is made.
enum class Growing { resized, copied, given_up };
auto one_block(int steps, Growing how) {
  return [=](RunBuilder& run) {
    RunBuilder::Block last;
    for (int i = 1; i <= steps; ++i) {
      step(run);
      if (i > 1 && how == Growing::given_up) run.end(last);
      auto next = run.born(11, static_cast<uint64_t>(i) * 20'000, i > 1 && how == Growing::resized);
      if (i > 1 && how != Growing::given_up) run.end(last);
      last = next;
    }
  };
}

// One block that takes twice the room whenever it is full, while `rounds` rounds each add as much; `seen`: the loop is seen
// in each of them, or only when it makes a block. Then `after` seconds of other work.
auto doubling(int rounds, bool seen, double after) {
  return [=](RunBuilder& run) {
    constexpr uint64_t kPerRound = 20'000;
    RunBuilder::Block last;
    uint64_t room = 0;
    for (int i = 1; i <= rounds; ++i) {
      run.work(0.002);
      if (seen) step(run);
      if (static_cast<uint64_t>(i) * kPerRound <= room) continue;
      if (!seen) run.round(10);
      bool is_first = room == 0;
      room = std::max(2 * room, uint64_t{32'000});
      auto next = run.born(11, room);
      if (!is_first) run.end(last);
      last = next;
    }
    run.work(after);
  };
}

// Each round works on more than the one before: its block is copied to a bigger one twice, and given up at its end.
auto rising_inputs(int rounds) {
  return [=](RunBuilder& run) {
    for (int i = 1; i <= rounds; ++i) {
      step(run);
      RunBuilder::Block last = run.born(11, static_cast<uint64_t>(i) * 10'000);
      for (uint64_t size : {20'000u, 30'000u}) {
        auto next = run.born(11, static_cast<uint64_t>(i) * size);
        run.end(last);
        last = next;
      }
      run.end(last);
    }
  };
}

// A queue: each round puts one in, nine rounds of ten take the oldest out. `is_emptied`: all of it now and then.
auto slow_consumer(int rounds, bool is_emptied) {
  return [=](RunBuilder& run) {
    std::vector<RunBuilder::Block> queue;
    auto take = [&] {
      run.end(queue.front());
      queue.erase(queue.begin());
    };
    for (int i = 0; i < rounds; ++i) {
      step(run);
      queue.push_back(run.born(11, kBytes));
      if (i % 10 != 0) take();
      while (is_emptied && i % 40 == 39 && !queue.empty()) take();
    }
  };
}

// So many blocks, all given back, then other work.
auto given_back(int steps, double after) {
  return [=](RunBuilder& run) {
    std::vector<RunBuilder::Block> held;
    for (int i = 0; i < steps; ++i) {
      step(run);
      held.push_back(run.born(11, kBytes));
    }
    for (const auto& block : held) run.end(block);
    run.work(after);
    run.make_and_end(13, 4096);
  };
}

auto and_then(std::function<void(RunBuilder&)> first, std::function<void(RunBuilder&)> next) {
  return [=](RunBuilder& run) {
    first(run);
    next(run);
  };
}
auto waits(double seconds) {
  return [=](RunBuilder& run) { run.wait(seconds); };
}
auto works(double seconds) {
  return [=](RunBuilder& run) { run.work(seconds); };
}

struct Row {
  const char* shape;
  std::function<void(RunBuilder&)> run;
  GrowthClass what;
  Rule rule;
};

const Row kRows[] = {
    {"one block each step", stays(100, [](int) { return 1; }), GrowthClass::leak, Rule::survivors},
    {"one block every tenth step", stays(400, [](int i) { return i % 10 == 0; }), GrowthClass::leak,
     Rule::survivors},
    {"begins late", stays(200, [](int i) { return i >= 80; }), GrowthClass::leak, Rule::survivors},
    {"begins late, at a line that ran before", keeps_late(400, 320, 400), GrowthClass::leak,
     Rule::survivors},
    {"a buffer of the newest", keeps_late(400, 0, 80), GrowthClass::dismissed, Rule::gone},
    {"one block each step, then it waits", and_then(stays(100, [](int) { return 1; }), waits(60)),
     GrowthClass::leak, Rule::survivors},
    {"one block each step, then a little work",
     and_then(stays(100, [](int) { return 1; }), works(0.1)), GrowthClass::leak, Rule::survivors},
    {"loads, then works on it", and_then(stays(100, [](int) { return 1; }), works(2)),
     GrowthClass::stayed, Rule::nothing_added},
    {"fills in the first third", stays(300, [](int i) { return i < 100; }), GrowthClass::stayed,
     Rule::nothing_added},
    {"ends at four fifths", stays(300, [](int i) { return i < 240; }), GrowthClass::leak,
     Rule::survivors},
    {"given back at the end", given_back(100, 0.001), GrowthClass::leak, Rule::survivors},
    {"given back, then it works on", given_back(100, 0.2), GrowthClass::accumulates,
     Rule::given_back},
    {"two late steps", stays(100, [](int i) { return i % 30 == 0; }), GrowthClass::dismissed,
     Rule::few_late_steps},
    {"six late steps", stays(100, [](int i) { return i % 8 == 0; }), GrowthClass::suspected,
     Rule::few_late_steps},
    {"four bursts", stays(300, [](int i) { return i % 75 == 74 ? 12 : 0; }), GrowthClass::suspected,
     Rule::bursts},
    {"ever more slowly",
     stays(400,
           [](int i) {
             auto made = [](int n) {
               int k = 0;
               while (k * k < 40 * n) ++k;
               return k;
             };
             return made(i + 1) - made(i);
           }),
     GrowthClass::filling, Rule::slows_down},
    {"five steps that hold everything", stays(5, [](int) { return 30; }), GrowthClass::too_short,
     Rule::too_few_steps},
    {"fourteen steps that hold everything", stays(14, [](int) { return 30; }),
     GrowthClass::too_short, Rule::too_few_steps},
    {"sixteen steps that hold everything", stays(16, [](int) { return 30; }), GrowthClass::leak,
     Rule::survivors},
    {"little", stays(100, [](int i) { return i % 50 == 0; }), GrowthClass::dismissed,
     Rule::too_little},
    {"a saw-tooth that ends on its floor", saw_tooth(240, 60), GrowthClass::dismissed, Rule::gone},
    {"one block, resized", one_block(100, Growing::resized), GrowthClass::growing_block,
     Rule::one_block_grows},
    {"one block, copied", one_block(100, Growing::copied), GrowthClass::growing_block,
     Rule::one_block_grows},
    {"one block that doubles", doubling(800, true, 0), GrowthClass::growing_block,
     Rule::one_block_grows},
    {"one block that doubles, in a loop that is seen no more often", doubling(800, false, 0),
     GrowthClass::growing_block, Rule::one_block_grows},
    {"one block that doubles, then other work", doubling(800, true, 10), GrowthClass::stayed,
     Rule::nothing_added},
    {"inputs of rising size, one after the other", rising_inputs(60), GrowthClass::dismissed,
     Rule::gone},
    {"a queue that is emptied too slowly", slow_consumer(440, false), GrowthClass::leak,
     Rule::survivors},
    {"a queue that is empty now and then", slow_consumer(440, true), GrowthClass::dismissed,
     Rule::gone},
    {"bigger and bigger work", one_block(100, Growing::given_up), GrowthClass::dismissed,
     Rule::gone},
};

TEST(GrowthRules, EachShapeIsDecidedByItsRule) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.shape);
    RunBuilder run;
    row.run(run);
    Findings findings = run.judge();
    auto line = std::find_if(findings.considered.begin(), findings.considered.end(),
                             [](const ConsideredLine& l) { return l.place.line == 11; });
    if (line == findings.considered.end()) {
      ADD_FAILURE() << "line 11 was not considered";
      continue;
    }
    EXPECT_EQ(code(line->what), std::string(code(row.what)));
    EXPECT_EQ(code(line->rule), std::string(code(row.rule)));
  }
}

TEST(GrowthRules, AGrowthThatBeganLateTellsTheStepsSinceThen) {
  for (int from : {310, 405}) {
    SCOPED_TRACE(from);
    RunBuilder run;
    keeps_late(500, from, 500)(run);
    Findings findings = run.judge();
    ASSERT_EQ(findings.findings.size(), 1u);
    ASSERT_TRUE(findings.findings[0].bytes_per_step.has_value());
    EXPECT_NEAR(*findings.findings[0].bytes_per_step, kBytes, 0.03 * kBytes);
  }
}

GrowthClass class_of_line_11(RunBuilder& run) {
  for (const ConsideredLine& line : run.judge().considered) {
    if (line.place.line == 11) return line.what;
  }
  return GrowthClass::dismissed;
}

// One block of a library, resized to twice its size so many times, once in 32 rounds.
GrowthClass resized_by_library(int sizes, ledger::BlockKind kind = ledger::BlockKind::heap) {
  RunBuilder run;
  ModuleId library = run.module("/usr/lib/libtables.so");
  RunBuilder::Block last;
  for (int i = 0, next = 0; i < 32 * sizes; ++i) {
    step(run);
    if (i < next) continue;
    next = i + 32;
    auto block = run.born_in_library(11, 400'000 + static_cast<uint64_t>(i) * 8192, library, kind);
    if (i > 0) run.end(last);
    last = block;
  }
  return class_of_line_11(run);
}

TEST(GrowthRules, ATableOfALibraryFindsItsSize) {
  EXPECT_EQ(resized_by_library(15), GrowthClass::dismissed);
  EXPECT_EQ(resized_by_library(16), GrowthClass::growing_block);
}

// An arena takes a piece that is bigger by this factor whenever it is full, and keeps them all: filling one is work. Then
// the program works on for as long as so many of the last would have taken.
GrowthClass arena(int pieces, double factor, double rest = 0) {
  RunBuilder run;
  double seconds = 0.1;
  for (int i = 0; i < pieces; ++i, seconds *= factor) {
    step(run);
    run.born(11, static_cast<uint64_t>(seconds * 1e6));
    run.work(seconds);
  }
  run.work(seconds * rest);
  return class_of_line_11(run);
}

TEST(GrowthRules, AnArenaOfEverBiggerPiecesIsOneBlock) {
  EXPECT_EQ(arena(8, 1.5), GrowthClass::growing_block);
  EXPECT_EQ(arena(7, 1.5), GrowthClass::dismissed) << "too few to tell";
  EXPECT_EQ(arena(9, 1.3), GrowthClass::growing_block);
  EXPECT_EQ(arena(9, 1.2), GrowthClass::suspected) << "blocks like any other, and few";
  EXPECT_EQ(arena(8, 1.5, 9), GrowthClass::stayed) << "the program went on without filling it";
}

TEST(GrowthRules, SamplesOfRisingSizesAreNoBlockThatGrows) {
  EXPECT_NE(resized_by_library(20, ledger::BlockKind::small_heap), GrowthClass::growing_block);
  EXPECT_EQ(resized_by_library(20), GrowthClass::growing_block);
}

// Arenas of small Python objects, one in each fourth round.
TEST(GrowthRules, ArenasThatGrowSteadilyAreALeakOfSmallObjects) {
  RunBuilder run;
  for (int i = 0; i < 160; ++i) {
    step(run);
    if (i % 4 == 0) run.born_in_library(11, 1 << 20, {}, ledger::BlockKind::object_arena);
  }
  Findings findings = run.judge();
  ASSERT_EQ(findings.findings.size(), 1u);
  EXPECT_EQ(findings.findings[0].severity, Severity::leak);
  EXPECT_EQ(findings.considered[0].rule, Rule::small_objects);
}

TEST(GrowthRules, AHandfulOfSamplesBesideCountedBlocksIsChance) {
  for (int samples : {31, 32}) {
    RunBuilder run;
    for (int i = 0; i < 4 * samples; ++i) {
      step(run);
      if (i % 4 == 0) run.born_as_sample(11, 500);
      if (i % 4 == 0) run.born(11, 10'000);
    }
    EXPECT_EQ(run.judge().verdict, samples < 32 ? Verdict::clean : Verdict::leak);
  }
}

// Every round keeps 4 blocks, those of the last `most` rounds live. In the last quarter the governor samples: one block
// of 4 stands for them all.
GrowthClass sampled_lately(size_t most) {
  constexpr int kRounds = 120, kCounted = 90, kBlocks = 4;
  constexpr uint64_t kSize = 8000;
  RunBuilder run;
  std::vector<std::vector<RunBuilder::Block>> held;
  for (int i = 0; i < kRounds; ++i) {
    step(run);
    if (i == kCounted) run.raise_threshold(16 << 10);
    auto& made = held.emplace_back();
    for (int k = 0; i < kCounted && k < kBlocks; ++k) made.push_back(run.born(11, kSize));
    if (i >= kCounted) made.push_back(run.born_as_sample(11, kSize));
    if (held.size() <= most) continue;
    for (const auto& block : held.front()) run.end(block);
    held.erase(held.begin());
  }
  for (const auto& blocks : held) {
    for (const auto& block : blocks) run.end(block);
  }
  return class_of_line_11(run);
}

TEST(GrowthRules, TheGovernorSplitsNoLine) {
  EXPECT_EQ(sampled_lately(70), GrowthClass::dismissed);
  EXPECT_EQ(sampled_lately(1000), GrowthClass::leak);
}

uint64_t sum_of(const BalanceMoment& moment) {
  uint64_t sum = moment.small_lines + moment.own;
  for (const auto& [what, bytes] : moment.came_to) sum += bytes;
  return sum;
}

// A library calls the function that keeps a block, and the line makes another one in some of the same calls.
TEST(GrowthRules, InstructionsOfALineThatMakeBlocksTogetherAreOneRun) {
  struct {
    const char* what;
    int second_from;
    uint64_t steps;
  } rows[] = {
      {"both in every call", 0, 80},
      {"together for more than half of the time", 30, 80},
      {"the code was rewritten in between", 60, 160},
  };
  for (const auto& row : rows) {
    RunBuilder run;
    run.call_back_from("/lib/python3.11/site-packages/server.py");
    for (int call = 0; call < row.second_from + 80; ++call) {
      run.library_round();
      if (call < 80) run.born(12, 50'000, false, 1);
      if (call >= row.second_from) run.born(12, 50'000, false, 2);
    }
    Findings found = run.judge();
    ASSERT_EQ(found.findings.size(), 1u) << row.what;
    EXPECT_EQ(found.findings[0].steps, row.steps) << row.what;
    EXPECT_NE(found.findings[0].per.find("per.call"), std::string::npos) << row.what;
  }
}

// A library calls the function that keeps one large block, and many small ones beside it, each time.
TEST(GrowthRules, SamplesBesideCountedBlocksAreNoRuns) {
  RunBuilder run;
  run.call_back_from("/lib/python3.11/site-packages/pool.py");
  for (int call = 0; call < 100; ++call) {
    run.library_round();
    run.born(12, 50'000);
    if (call % 8 == 0) run.born_as_sample(12, 100);  // stands for 328 of them
  }
  Findings found = run.judge();
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].steps, 100u);
  EXPECT_NE(found.findings[0].per.find("per.call"), std::string::npos);
  EXPECT_FALSE(found.findings[0].are_steps_estimated);
}

// `text = text + line + end`: two sums of one run, of which the first is given up for the second. A sum of another call is
// not: there the text was begun anew.
TEST(GrowthRules, ASumInTwoStepsIsOneBlock) {
  for (bool is_of_one_call : {true, false}) {
    SCOPED_TRACE(is_of_one_call);
    RunBuilder run;
    RunBuilder::Block text;
    for (uint64_t i = 1; i <= 100; ++i) {
      if (!is_of_one_call) run.call_from(5);
      step(run);
      auto sum = run.born(11, i * 20'000, false, 1);
      if (!is_of_one_call) run.end(sum);
      if (!is_of_one_call) run.call_from(6);
      if (!is_of_one_call) step(run);
      auto next = run.born(11, i * 20'000 + 2000, false, 2);
      if (is_of_one_call) run.end(sum);
      if (i > 1) run.end(text);
      text = next;
    }
    bool grows = class_of_line_11(run) == GrowthClass::growing_block;
    EXPECT_EQ(grows, is_of_one_call);
  }
}

// In each of a few rounds the block is made anew again and again, and its last one stays.
TEST(GrowthRules, AFewRoundsThatKeepTheirLastBlockAreTooFewToTell) {
  RunBuilder run;
  for (int i = 0; i < 5; ++i) {
    run.round(10);
    RunBuilder::Block last;
    for (int k = 0; k < 30; ++k) {
      auto next = run.born(11, 30 * kBytes);
      if (k > 0) run.end(last);
      last = next;
    }
  }
  EXPECT_EQ(run.judge().verdict, Verdict::unknown);
}

// A loop comes round at first, as far as is seen, and its line goes on making blocks.
TEST(GrowthRules, ALoopThatWasNotAlwaysSeenLeavesItToTheLine) {
  for (int blocks : {160, 170}) {
    RunBuilder run;
    for (int i = 0; i < blocks; ++i) {
      if (i < 40) run.round(11);
      run.born(12, 100'000);
    }
    Findings found = run.judge();
    bool is_told = !found.findings.empty() && found.findings[0].severity == Severity::leak;
    EXPECT_EQ(is_told, blocks == 160) << blocks;
    if (is_told) {
      EXPECT_EQ(found.findings[0].steps, 160u);
    }
  }
}

// 80 blocks come in the first quarter of the work, so many more in the rest of it. Each shows a round of the loop, which came
// round between them, too.
Findings fills_up(int late_blocks, const std::string& interpreter) {
  RunBuilder run;
  if (!interpreter.empty()) run.run_by(interpreter);
  for (int i = 0; i < 80 + late_blocks; ++i) {
    run.round(11);
    run.born(12, 100'000);
    run.work(i < 80 ? 0.1 : 24.0 / late_blocks);
  }
  return run.judge();
}

TEST(GrowthRules, ALoopThatIsOnlySeenByItsBlocksTellsNoPace) {
  EXPECT_EQ(fills_up(24, "").verdict, Verdict::leak);
  Findings cache = fills_up(12, "");
  EXPECT_EQ(cache.verdict, Verdict::clean);
  EXPECT_EQ(cache.considered[0].rule, Rule::slows_down);
  EXPECT_EQ(fills_up(12, "/usr/bin/python3").verdict, Verdict::leak);  // its loops count
}

// Every round has a sample, and each `second`-th has two.
TEST(GrowthRules, RoundsThatOnlySamplesShowAreNotTheUnit) {
  constexpr int kRounds = 120;
  for (int second : {5, 3}) {
    RunBuilder run;
    for (int i = 0; i < kRounds; ++i) {
      run.round(11);
      for (int k = 0; k < (i % second ? 1 : 2); ++k) run.born_as_sample(12, 500);
      run.work(0.01);
    }
    Findings found = run.judge();
    ASSERT_FALSE(found.findings.empty());
    const Finding& leak = found.findings[0];
    const bool is_by_line = second == 5;
    EXPECT_EQ(leak.per == run_of("train.py", 12), is_by_line) << leak.per;
    EXPECT_EQ(*leak.steps > 10 * kRounds, is_by_line) << *leak.steps;
    if (is_by_line) {
      EXPECT_NEAR(*leak.bytes_per_step, 500, 50);
    }
  }
}

// The thread with the loop makes nothing at first: what its tasks make began before it was seen.
TEST(GrowthRules, ALoopThatIsSeenLateHasBegunBefore) {
  RunBuilder run;
  run.call_back_from("/lib/python3.11/site-packages/pool.py");
  for (int i = 0; i < 150; ++i) {
    run.library_round();
    run.born(12, 100'000);
  }
  run.call_from(5);
  run.rounds(11, 143);
  run.born(13, 2'000);
  Findings found = run.judge();
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].severity, Severity::leak);
}

TEST(GrowthRules, WhatTheLinesComeToAddsUpToAllThatWasHeld) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.shape);
    RunBuilder run;
    row.run(run);
    Findings findings = run.judge();
    ASSERT_EQ(findings.balance.size(), 1u);
    const LineBalance& balance = findings.balance[0];
    EXPECT_GT(balance.at_peak.total, 0u);
    EXPECT_EQ(sum_of(balance.at_peak), balance.at_peak.total);
    EXPECT_EQ(sum_of(balance.at_end), balance.at_end.total);
  }
}

TEST(GrowthRules, TheVerdictFollowsFromWhatTheLinesComeTo) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.shape);
    RunBuilder run;
    row.run(run);
    Findings findings = run.judge();
    bool is_leak_told = std::any_of(findings.findings.begin(), findings.findings.end(),
                                    [](const Finding& f) { return f.severity == Severity::leak; });
    EXPECT_EQ(findings.verdict == Verdict::leak, is_leak(row.what));
    EXPECT_EQ(is_leak_told, is_leak(row.what));
    EXPECT_EQ(findings.verdict == Verdict::unknown, row.what == GrowthClass::too_short);
  }
}

}  // namespace
}  // namespace tenure::analyze
