// tests/unit/analyze/leak_test.cpp: the leak test on invented runs: which shapes of memory over time are leaks, and what
// is said of them.
// The loop stands on line 10, what it makes on lines 11 and 12; line 5 runs before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <random>

#include "base/sentence_reader.h"
#include "base/sentence_writer.h"
#include "run_builder.h"

namespace tenure::analyze {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kBytes = 100'000;
const std::string kIteration = sentence("per.iteration", {{"line", "train.py:10"}});

// One step of the loop: something that ends at once, so that time and ticks go on.
void step(RunBuilder& run) {
  run.round(10);
  run.make_and_end(12, 4096);
}

const Finding& only(const Findings& findings) {
  EXPECT_EQ(findings.findings.size(), 1u);
  static const Finding kNone;
  return findings.findings.empty() ? kNone : findings.findings.front();
}

void expect_clean(const Findings& findings) {
  EXPECT_EQ(findings.verdict, Verdict::clean);
  EXPECT_TRUE(findings.findings.empty()) << findings.findings.front().why;
}

void expect_warning(const Findings& findings, const char* why) {
  EXPECT_EQ(findings.verdict, Verdict::clean);
  EXPECT_EQ(only(findings).severity, Severity::warning);
  EXPECT_THAT(only(findings).why, HasSubstr(why));
}

void expect_note(const Findings& findings, const char* why) {
  EXPECT_EQ(findings.verdict, Verdict::clean);
  EXPECT_EQ(only(findings).severity, Severity::note);
  EXPECT_THAT(only(findings).why, HasSubstr(why));
}

TEST(LeakTest, WhatStaysStepByStepIsALeak) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born(11, kBytes);
  }
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::leak);
  const Finding& leak = only(findings);
  EXPECT_EQ(leak.per, kIteration);
  EXPECT_EQ(leak.steps, 100u);
  EXPECT_EQ(leak.bytes, 100 * kBytes);
  EXPECT_EQ(leak.count, 100u);
  EXPECT_NEAR(*leak.bytes_per_step, kBytes, kBytes / 50.0);
  EXPECT_EQ(leak.where.front().line, 11);
  EXPECT_EQ(leak.where.front().function, "train");
  EXPECT_EQ(leak.why, sentence("growth.native.why", {{"count", 100}}));
}

// What a loop leaves behind of named segments and of their mappings, all made at one line.
const Finding& left_of_shared_memory(int unmapped_rounds, int unlinked_rounds) {
  RunBuilder run;
  std::vector<RunBuilder::Block> segments, mappings;
  for (int i = 0; i < 100; ++i) {
    step(run);
    segments.push_back(run.born_in_library(11, kBytes, {}, ledger::BlockKind::shared_segment));
    mappings.push_back(run.born_in_library(11, kBytes, {}, ledger::BlockKind::shared_map));
    if (i < unmapped_rounds) run.end(mappings.back());
    if (i < unlinked_rounds) run.end(segments.back());
  }
  static Findings findings;
  findings = run.judge();
  return only(findings);
}

TEST(LeakTest, SegmentAndItsMappingAreCountedOnce) {
  const Finding& both = left_of_shared_memory(0, 0);
  EXPECT_EQ(both.kind, Kind::shared_memory);
  EXPECT_EQ(both.bytes, 100 * kBytes);
  EXPECT_EQ(both.count, 100u);
  EXPECT_NEAR(*both.bytes_per_step, kBytes, kBytes / 50.0);
}

TEST(LeakTest, OfSegmentsAndMappingsThoseThatAreLeftAreTold) {
  const Finding& segments = left_of_shared_memory(100, 0);
  EXPECT_EQ(segments.bytes, 100 * kBytes);
  EXPECT_THAT(segments.holder->text, HasSubstr("growth.segments.holder"));
  const Finding& mappings = left_of_shared_memory(0, 100);
  EXPECT_EQ(mappings.bytes, 100 * kBytes);
  EXPECT_THAT(mappings.why, HasSubstr("growth.mappings.why"));
}

TEST(LeakTest, WhatMainHeldIsJudgedAsItWasWhileItWasHeld) {
  RunBuilder run;
  std::vector<RunBuilder::Block> held;
  for (int i = 0; i < 100; ++i) {
    step(run);
    held.push_back(run.born(11, kBytes));
  }
  for (const auto& block : held) run.end(block);
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::leak);
  EXPECT_EQ(only(findings).bytes, 100 * kBytes);
}

TEST(LeakTest, TwoLinesThatLeakAreTwoFindingsBiggestFirst) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born(11, kBytes);
    run.born(13, 3 * kBytes);
  }
  Findings findings = run.judge();
  ASSERT_EQ(findings.findings.size(), 2u);
  EXPECT_EQ(findings.findings[0].where.front().line, 13);
  EXPECT_EQ(findings.findings[1].where.front().line, 11);
  EXPECT_EQ(findings.findings[1].severity, Severity::leak);
}

TEST(LeakTest, OneBlockEveryFiftySteps) {
  RunBuilder run;
  for (int i = 0; i < 900; ++i) {
    step(run);
    if (i % 50 == 0) run.born(11, kBytes);
  }
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::leak);
  EXPECT_EQ(only(findings).steps, 900u);
  EXPECT_NEAR(*only(findings).bytes_per_step, kBytes / 50.0, kBytes / 500.0);
}

TEST(LeakTest, ALateStartIsALeakAllTheSame) {
  RunBuilder run;
  for (int i = 0; i < 200; ++i) {
    step(run);
    if (i >= 80) run.born(11, kBytes);
  }
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::leak);
  EXPECT_NEAR(*only(findings).bytes_per_step, kBytes, kBytes / 20.0);
}

TEST(LeakTest, ABlockThatIsResizedBiggerAndBigger) {
  RunBuilder run;
  RunBuilder::Block grown;
  for (uint64_t i = 1; i <= 100; ++i) {
    step(run);
    RunBuilder::Block next = run.born(11, i * 20'000, i > 1);
    if (i > 1) run.end(grown);
    grown = next;
  }
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::leak);
  EXPECT_EQ(only(findings).count, 1u);
  EXPECT_NEAR(*only(findings).bytes_per_step, 20'000, 1000);
  EXPECT_EQ(only(findings).why, sentence("growth.one_block.why"));
}

TEST(LeakTest, AWarmUpIsClean) {
  RunBuilder run;
  for (int i = 0; i < 40; ++i) run.born(5, kBytes);
  for (int i = 0; i < 200; ++i) step(run);
  expect_clean(run.judge());
}

TEST(LeakTest, WhatTenureItselfKeepsIsNoLeakOfTheProgram) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born_in_adapter(11, kBytes);
  }
  expect_clean(run.judge());
}

TEST(LeakTest, WhatAFrameworkMakesBelowAnAdapterIsTheProgramsOwn) {
  RunBuilder run;
  ModuleId framework = run.module("/site-packages/tensorflow/libtensorflow.so");
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born_in_adapter(11, kBytes, framework);
  }
  EXPECT_EQ(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, ACacheThatFilledInTheFirstHalfIsClean) {
  RunBuilder run;
  for (int i = 0; i < 300; ++i) {
    step(run);
    if (i < 100) run.born(11, kBytes);
  }
  expect_note(run.judge(), "growth.stayed.why");
}

TEST(LeakTest, ACacheThatFillsEverMoreSlowlyIsANote) {
  RunBuilder run;
  int made = 0;
  for (int i = 1; i <= 400; ++i) {
    step(run);
    for (; made * made < 40 * i; ++made) run.born(11, kBytes);
  }
  expect_note(run.judge(), "growth.filling.why");
}

TEST(LeakTest, WhatALibraryKeepsOfTheCodeItGeneratesIsACacheThatFills) {
  RunBuilder run;
  ModuleId library = run.module("/usr/lib/libkernels.so");
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born_in_library(11, 256 << 10, library, ledger::BlockKind::code_map);
    run.born_in_library(11, kBytes, library, ledger::BlockKind::heap);
  }
  Findings findings = run.judge();
  expect_warning(findings, "growth.compiled_code.why");
  EXPECT_EQ(only(findings).kind, Kind::cache_growth);
  EXPECT_EQ(only(findings).bytes, 100 * kBytes);
}

TEST(LeakTest, WhatOthersKeepWhereALibraryGeneratesCodeIsALeak) {
  RunBuilder run;
  ModuleId library = run.module("/usr/lib/libkernels.so");
  ModuleId other = run.module("/usr/lib/libdata.so");
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born_in_library(11, 256 << 10, library, ledger::BlockKind::code_map);
    run.born_in_library(11, kBytes, other, ledger::BlockKind::heap);
  }
  EXPECT_EQ(run.judge().verdict, Verdict::leak);
}

// How many of a hundred such runs are leaks: each step puts 8 KiB into a buffer that is full after `room` of them, and one
// in 4.5 of them is drawn. `ends`: main() lets go of all of it when it returns.
int leaks_of_samples(int steps, size_t room, bool ends = false) {
  int leaks = 0;
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    RunBuilder run;
    std::minstd_rand random(seed);
    std::bernoulli_distribution is_drawn(sample_probability(8 << 10, 32 << 10));
    std::deque<std::optional<RunBuilder::Block>> buffer;
    for (int i = 0; i < steps; ++i) {
      step(run);
      buffer.emplace_back();
      if (is_drawn(random)) buffer.back() = run.born_as_sample(11, (8 << 10) + 16 * (i % 7));
      if (buffer.size() <= room) continue;
      if (buffer.front()) run.end(*buffer.front());
      buffer.pop_front();
    }
    for (const auto& block : buffer) {
      if (ends && block) run.end(*block);
    }
    leaks += run.judge().verdict == Verdict::leak;
  }
  return leaks;
}

TEST(LeakTest, SamplesOfAFullBufferRiseByChanceAndAreNoLeak) {
  EXPECT_LE(leaks_of_samples(200, 150), 1);
  EXPECT_LE(leaks_of_samples(300, 200), 1);
}

TEST(LeakTest, SamplesThatStayAreALeak) { EXPECT_GE(leaks_of_samples(200, 200), 99); }

TEST(LeakTest, SamplesThatStayUntilMainReturnsAreALeakAllTheSame) {
  EXPECT_GE(leaks_of_samples(200, 200, true), 97);
}

TEST(LeakTest, ABoundedBufferIsClean) {
  RunBuilder run;
  std::deque<RunBuilder::Block> recent;
  for (int i = 0; i < 300; ++i) {
    step(run);
    recent.push_back(run.born(11, kBytes));
    if (recent.size() <= 50) continue;
    run.end(recent.front());
    recent.pop_front();
  }
  expect_clean(run.judge());
}

TEST(LeakTest, ASawToothIsNoLeak) {
  RunBuilder run;
  std::vector<RunBuilder::Block> batch;
  for (int i = 0; i < 250; ++i) {
    step(run);
    batch.push_back(run.born(11, kBytes));
    if (batch.size() < 60) continue;
    for (const auto& block : batch) run.end(block);
    batch.clear();
  }
  EXPECT_NE(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, BurstsAreAWarning) {
  RunBuilder run;
  for (int i = 0; i < 300; ++i) {
    step(run);
    for (int k = 0; k < 12 && i % 75 == 74; ++k) run.born(11, kBytes);
  }
  expect_warning(run.judge(), "growth.but.bursts");
}

// Four bursts of so many samples.
Findings bursts_of_samples(int each) {
  RunBuilder run;
  for (int i = 0; i < 300; ++i) {
    step(run);
    for (int k = 0; k < each && i % 75 == 74; ++k) run.born_as_sample(11, 16 << 10);
  }
  return run.judge();
}

TEST(LeakTest, AHandfulOfSamplesIsWhereItIsByChance) {
  expect_warning(bursts_of_samples(12), "growth.but.bursts");
  EXPECT_TRUE(bursts_of_samples(6).findings.empty());
}

// One sample in each of so many steps.
Findings samples_in_steps(int steps) {
  RunBuilder run;
  for (int i = 0; i < steps; ++i) {
    step(run);
    run.born_as_sample(11, 16 << 10);
  }
  return run.judge();
}

TEST(LeakTest, ThirtyTwoSamplesMakeALeak) {
  EXPECT_EQ(samples_in_steps(32).verdict, Verdict::leak);
  EXPECT_EQ(samples_in_steps(31).verdict, Verdict::clean);
}

// `first` blocks, then 300 steps of other work beside so much that was there before.
Findings loaded_beside(int first, uint64_t before) {
  RunBuilder run;
  run.born(5, before);
  for (int i = 0; i < 300; ++i) {
    step(run);
    if (i < first) run.born(11, kBytes);
  }
  return run.judge();
}

TEST(LeakTest, NotesTellWhatIsMuchBesideThePeak) {
  expect_note(loaded_beside(100, 80'000'000), "growth.stayed.why");
  EXPECT_TRUE(loaded_beside(100, 100'000'000).findings.empty());
}

TEST(LeakTest, ALoadingPhaseBeforeLongWorkWithoutBirthsIsNoLeak) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born(11, kBytes);
  }
  run.work(5);
  EXPECT_NE(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, WhatTheTeardownMakesAndTakesIsNoPartOfTheRun) {
  RunBuilder run;
  for (int i = 0; i < 60; ++i) {
    run.round(10);
    run.born(11, kBytes);
  }
  run.teardown();
  run.wait(0.5);
  for (int i = 0; i < 60; ++i) run.make_and_end(5, 4096);
  EXPECT_EQ(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, AMomentAfterTheLastRoundIsNoWork) {
  RunBuilder run;
  for (int i = 0; i < 60; ++i) {
    run.round(10);
    run.born(11, kBytes);
  }
  run.wait(0.08);
  run.teardown();
  EXPECT_EQ(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, PausesForSnapshotsAreNoTimeOfTheProgram) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born(11, kBytes);
    if (i == 97) run.pause(5, 5);
  }
  EXPECT_EQ(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, TooFewStepsAreUnknownWithTheReason) {
  RunBuilder run;
  for (int i = 0; i < 5; ++i) {
    run.round(10);
    run.born(11, 20 * kBytes);
  }
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::unknown);
  SentenceParts reason = read_sentence(findings.reason);
  EXPECT_EQ(reason.code, "unknown.too_short");
  EXPECT_EQ(reason["steps"], "5");
  EXPECT_EQ(reason["per"], kIteration);
}

TEST(LeakTest, LittleGrowthIsNotTold) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born(11, 2000);
  }
  expect_clean(run.judge());
}

TEST(LeakTest, GrowthBelowAHundredthOfTheWorkIsNotTold) {
  RunBuilder run;
  step(run);
  RunBuilder::Block big = run.born(5, 4ull << 30);
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born(11, kBytes);
  }
  run.end(big);
  expect_clean(run.judge());
}

TEST(LeakTest, WhatWasThereBeforeTheFirstStepHidesNoGrowth) {
  RunBuilder run;
  run.born(5, 4ull << 30);
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born(11, kBytes);
  }
  ASSERT_EQ(run.judge().findings.size(), 1u);
}

TEST(LeakTest, ABlockThatWasMadeOnceHidesNoGrowthOfItsLine) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    if (i == 0) run.born(11, 100 * kBytes);
    run.make_and_end(12, 5000);
    run.born(11, kBytes);
  }
  ASSERT_EQ(run.judge().findings.size(), 1u);
}

TEST(LeakTest, AWorkspaceOfEachStepHidesNoGrowthOfItsSite) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    RunBuilder::Block workspace = run.born(11, 60 * kBytes);
    run.born(11, kBytes);
    run.end(workspace);
  }
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::leak);
  EXPECT_EQ(only(findings).bytes, 100 * kBytes);
}

TEST(LeakTest, WhatOneStepMadeAndFreedIsNoPileThatWasLetGo) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    std::vector<RunBuilder::Block> folded;
    for (int n = 0; i == 0 && n < 8; ++n) folded.push_back(run.born(11, 40 * kBytes, false, 1));
    run.born(11, kBytes);
    for (const RunBuilder::Block& block : folded) run.end(block);
  }
  EXPECT_EQ(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, WhatTheFirstStepKeepsHidesNoGrowthOfItsLine) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    for (int n = 0; i == 0 && n < 4; ++n) run.born(11, 50 * kBytes, false, 1);
    run.born(11, kBytes);
  }
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::leak);
  EXPECT_EQ(only(findings).bytes, 100 * kBytes);
}

TEST(LeakTest, WhatSeveralStepsPiledUpAndThenFreedWasLetGo) {
  RunBuilder run;
  std::vector<RunBuilder::Block> pile;
  for (int i = 0; i < 100; ++i) {
    step(run);
    if (i < 40) pile.push_back(run.born(11, 10 * kBytes, false, 1));
    run.born(11, kBytes);
    if (i != 40) continue;
    for (const RunBuilder::Block& block : pile) run.end(block);
  }
  EXPECT_EQ(run.judge().verdict, Verdict::clean);
}

// As a destructor does that fills and clears a vector: first for each thread, at last for the program.
TEST(LeakTest, WhatEachCallPilesUpAndFreesWasLetGoThoughTheLastHasALoopOfItsOwn) {
  RunBuilder run;
  for (uint32_t call = 0; call < 8; ++call) {
    run.call_from(call < 7 ? 30 : 40);
    std::vector<RunBuilder::Block> pile;
    for (int i = 0; i < 50; ++i) {
      step(run);
      pile.push_back(run.born(11, kBytes));
    }
    for (const RunBuilder::Block& block : pile) run.end(block);
  }
  expect_clean(run.judge());
}

TEST(LeakTest, WhatAnotherCallerFreedInEachStepHidesNoGrowth) {
  RunBuilder run;
  run.call_from(30);
  for (int i = 0; i < 400; ++i) {
    step(run);
    run.make_and_end(11, kBytes);
  }
  run.call_from(40);
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.born(11, kBytes);
  }
  EXPECT_EQ(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, WhereNoLoopTellsTheRarestStepOfAFrameworkIsTheUnit) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    run.framework_step("batch of a model");
    for (int n = 0; n < 3; ++n) run.framework_step("call of a function");
    run.make_and_end(12, 4096);
    run.born(11, kBytes);
  }
  Findings findings = run.judge();
  EXPECT_EQ(findings.verdict, Verdict::leak);
  EXPECT_EQ(only(findings).per, "batch of a model");
  EXPECT_EQ(only(findings).steps, 100u);
}

TEST(LeakTest, ALoopOfTheUserIsABetterUnitThanAStepOfAFramework) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    step(run);
    run.framework_step("run of a session");
    run.born(11, kBytes);
  }
  EXPECT_EQ(only(run.judge()).per, kIteration);
}

// A list comprehension in a callback: its iterator tells rounds within one call only.
TEST(LeakTest, ALoopThatAFrameworkCallsInEachOfItsStepsIsNoBetterUnit) {
  RunBuilder run;
  run.call_back_from("/site-packages/keras/trainer.py");
  for (int i = 0; i < 100; ++i) {
    run.framework_step("batch of a model");
    if (i % 5 == 0) run.round(10);
    run.born(11, kBytes);
  }
  Findings findings = run.judge();
  EXPECT_EQ(only(findings).per, "batch of a model");
  EXPECT_EQ(findings.per, "batch of a model");
}

TEST(LeakTest, WhatComesAfterTheStepsOfAFrameworkTakesNothingFromThem) {
  RunBuilder run;
  for (int i = 0; i < 100; ++i) {
    run.framework_step("batch of a model");
    run.born(11, kBytes);
  }
  run.wait(5);
  run.make_and_end(12, 4096);
  run.teardown();
  EXPECT_EQ(run.judge().verdict, Verdict::leak);
}

TEST(LeakTest, AProgramKilledAtOnceIsUnknown) {
  RunBuilder run;
  run.born(5, kBytes);
  Findings findings = run.judge(9);
  EXPECT_EQ(findings.verdict, Verdict::unknown);
  EXPECT_EQ(code_in(findings.reason), "unknown.killed");
}

TEST(LeakTest, AProgramThatEndedByItselfIsClean) {
  RunBuilder run;
  run.born(5, kBytes);
  expect_clean(run.judge());
}

}  // namespace
}  // namespace tenure::analyze
