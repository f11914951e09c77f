// tests/unit/analyze/causes_test.cpp: what adapters saw happen, joined to the lines where memory grows, on invented runs.
// The loop stands on line 10; its body is the ten lines below it.
#include "analyze/causes/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../retention/snapshot_builder.h"
#include "run_builder.h"

namespace tenure::analyze {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kBytes = 100'000;
constexpr int kSteps = 60;
constexpr int32_t kResults = 1;  // a second call of the same line

std::vector<std::string> kinds_of(const Findings& findings) {
  std::vector<std::string> kinds;
  for (const Finding& finding : findings.findings) kinds.emplace_back(code(finding.kind));
  return kinds;
}

std::vector<int> lines_of(const Finding& finding) {
  std::vector<int> lines;
  for (const Place& place : finding.where) lines.push_back(place.line);
  return lines;
}

// Line 12 leaves a block in each step; a cause of this kind was seen there in those that `is_seen` says.
template <class IsSeen>
void grow(RunBuilder& run, Kind kind, IsSeen is_seen) {
  for (int i = 0; i < kSteps; ++i) {
    run.round(10);
    if (is_seen(i)) run.cause(12, kind);
    run.born(12, kBytes);
  }
}

bool always(int) { return true; }

TEST(Causes, MemoryThatGrowsAtItsLineGetsItsWords) {
  RunBuilder run;
  grow(run, Kind::graph_growth, always);
  Findings findings = run.judge();
  ASSERT_EQ(kinds_of(findings), std::vector<std::string>{"graph-growth"});
  EXPECT_EQ(findings.findings[0].why, "it was seen to happen");
  EXPECT_EQ(findings.findings[0].fix, "let it not happen");
  EXPECT_EQ(findings.findings[0].holder->text, "the thing that grows");
}

TEST(Causes, AloneItIsNoFinding) {
  RunBuilder run;
  for (int i = 0; i < kSteps; ++i) {
    run.round(10);
    run.cause(12, Kind::graph_growth);
    run.make_and_end(12, kBytes);
  }
  EXPECT_EQ(run.judge().verdict, Verdict::clean);
}

TEST(Causes, FourTimesAreEnoughAndThreeTooFew) {
  for (int every : {16, 25}) {
    RunBuilder run;
    grow(run, Kind::graph_growth, [=](int step) { return step % every == 0; });
    std::vector<std::string> kinds = kinds_of(run.judge());
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "graph-growth"), every == 16 ? 1 : 0) << every;
  }
}

TEST(Causes, ClaimSitesThatHeldAQuarterOfAMebibyte) {
  for (uint64_t bytes : {256 << 10, (256 << 10) - 1}) {
    RunBuilder run;
    for (int i = 0; i < 4; ++i) run.cause(12, Kind::graph_growth);
    run.born(12, bytes);
    tenure::record::Record record = run.record();
    tenure::record::Symbols symbols;
    Frames frames(record.ledgers.at(0), symbols);
    EXPECT_EQ(Causes(frames).claimed().size(), bytes == 256 << 10 ? 1u : 0u) << bytes;
  }
}

TEST(Causes, WhatHappenedOnlyAtTheBeginningIsOver) {
  RunBuilder run;
  grow(run, Kind::graph_growth, [](int step) { return step < kSteps / 3; });
  EXPECT_THAT(kinds_of(run.judge()), ::testing::Not(::testing::Contains("graph-growth")));
}

TEST(Causes, WhatTheAdapterSawGoIsWithdrawn) {
  RunBuilder run;
  grow(run, Kind::session_unclosed, always);
  run.cause(12, Kind::session_unclosed, CauseRank::released);
  EXPECT_THAT(kinds_of(run.judge()), ::testing::Not(::testing::Contains("session-unclosed")));
}

// Making the first 40 left blocks behind that the collector freed. `number`: of the cause that is seen in a step.
template <class Number>
Findings grow_and_collect(CauseRank rank, Number number) {
  RunBuilder run;
  std::vector<RunBuilder::Block> rubbish;
  for (int i = 0; i < kSteps; ++i) {
    run.round(10);
    run.cause(12, Kind::graph_growth, rank, number(i));
    if (i < 40) rubbish.push_back(run.born(12, 10 * kBytes, false, 1));
    run.born(12, kBytes);
    if (i != 40) continue;
    for (const RunBuilder::Block& block : rubbish) run.end(block);
  }
  return run.judge();
}

TEST(Causes, WhatItsMakingLetGoIsNoEvidenceWhereTheHolderForgetsNothing) {
  auto one = [](int) { return 1; };
  EXPECT_EQ(grow_and_collect(CauseRank::responsible, one).verdict, Verdict::clean);
  Findings findings = grow_and_collect(CauseRank::responsible_for_good, one);
  EXPECT_EQ(kinds_of(findings), std::vector<std::string>{"graph-growth"});
  EXPECT_EQ(findings.verdict, Verdict::leak);
}

TEST(Causes, HoldersThatTakeTurnsHaveLetGo) {
  EXPECT_EQ(
      grow_and_collect(CauseRank::responsible_for_good, [](int step) { return step < 20 ? 1 : 2; })
          .verdict,
      Verdict::clean);
}

TEST(Causes, WhatFunctionsMakeThatALineOnlySuffersFromCountsToo) {
  RunBuilder run;
  run.call_from(30);
  for (int i = 0; i < kSteps; ++i) {
    run.round(10);
    run.cause(12, Kind::retained_autograd);
    run.cause_of_caller(30, Kind::retained_autograd, CauseRank::affected_with_callees);
    run.born(14, kBytes);
  }
  Findings findings = run.judge();
  ASSERT_EQ(kinds_of(findings), std::vector<std::string>{"retained-autograd"});
  EXPECT_EQ(lines_of(findings.findings[0]), (std::vector<int>{12, 30}));
}

TEST(Causes, AllLinesOfOneAreOneFindingAndThoseThatOnlySufferComeLast) {
  RunBuilder run;
  for (int i = 0; i < kSteps; ++i) {
    run.round(10);
    run.cause(12, Kind::graph_growth);
    run.born(12, kBytes);
    run.cause(14, Kind::graph_growth, CauseRank::affected);
    run.born(14, 5 * kBytes);
    run.cause(13, Kind::graph_growth);
    run.born(13, 2 * kBytes);
  }
  Findings findings = run.judge();
  ASSERT_EQ(kinds_of(findings), std::vector<std::string>{"graph-growth"});
  EXPECT_EQ(findings.findings[0].bytes, kSteps * 8 * kBytes);
  EXPECT_EQ(lines_of(findings.findings[0]), (std::vector<int>{13, 12, 14}));
}

TEST(Causes, TwoOfThemAtTwoLinesAreTwoFindings) {
  RunBuilder run;
  for (int i = 0; i < kSteps; ++i) {
    run.round(10);
    run.cause(12, Kind::graph_growth, CauseRank::responsible, 1);
    run.born(12, kBytes);
    run.cause(14, Kind::session_unclosed, CauseRank::responsible, 2);
    run.born(14, 2 * kBytes);
  }
  EXPECT_EQ(kinds_of(run.judge()), (std::vector<std::string>{"session-unclosed", "graph-growth"}));
}

// `results.append(f(x, i))`: each call leaves a trace of the function, and the list keeps what it returns.
struct TwoLeaksAtOneLine {
  RunBuilder run;
  SiteId trace, result;

  TwoLeaksAtOneLine() {
    for (int i = 0; i < kSteps; ++i) {
      run.round(10);
      run.cause(12, Kind::retracing, CauseRank::responsible_with_callees);
      trace = run.born(12, kBytes).site;
      result = run.born(12, 3 * kBytes, false, kResults).site;
    }
  }

  // All results hang from `holder`.
  void keep_results(SnapshotBuilder& heap, uint32_t holder) const {
    for (int i = 0; i < kSteps; ++i)
      heap.edge(holder, heap.array(3 * kBytes, result.value), "[" + std::to_string(i) + "]");
  }
};

TEST(Causes, WhatAListOfTheProgramKeepsAtTheSameLineIsALeakOfItsOwn) {
  TwoLeaksAtOneLine two;
  SnapshotBuilder heap;
  uint32_t list = heap.container("list", kSteps);
  heap.edge(heap.module("__main__"), list, "['results']");
  two.keep_results(heap, list);
  Findings findings = two.run.judge_with(heap.snapshot());
  ASSERT_EQ(kinds_of(findings), (std::vector<std::string>{"retained-python", "retracing"}));
  EXPECT_EQ(findings.findings[0].bytes, kSteps * 3 * kBytes);
  EXPECT_THAT(findings.findings[0].holder->text, HasSubstr("name=results"));
  EXPECT_EQ(findings.findings[1].bytes, kSteps * kBytes);
}

TEST(Causes, WhatHangsFromTheThingsThatPileUpBelongsToThem) {
  TwoLeaksAtOneLine two;
  SnapshotBuilder heap;
  uint32_t list = heap.container("list", kSteps);
  uint32_t graph = heap.thing("FuncGraph", 1);
  heap.edge(heap.module("__main__"), graph, "['graph']");
  heap.edge(graph, list, ".captures");
  two.keep_results(heap, list);
  Findings findings = two.run.judge_with(heap.snapshot());
  ASSERT_EQ(kinds_of(findings), std::vector<std::string>{"retracing"});
  EXPECT_EQ(findings.findings[0].bytes, kSteps * 4 * kBytes);
}

TEST(Causes, WhatAGlobalOfALibraryKeepsBelongsToTheCause) {
  TwoLeaksAtOneLine two;
  SnapshotBuilder heap;
  uint32_t list = heap.container("list", kSteps);
  uint32_t library =
      heap.add(ledger::NodeKind::module_root, "module", "framework", ledger::kNodeIsNamespace);
  heap.edge(0, library, "");
  heap.edge(heap.dict_of(library), list, "['_cache']");
  two.keep_results(heap, list);
  EXPECT_EQ(kinds_of(two.run.judge_with(heap.snapshot())), std::vector<std::string>{"retracing"});
}

TEST(Causes, WithoutASnapshotAllAtItsLineIsItsOwn) {
  TwoLeaksAtOneLine two;
  EXPECT_EQ(kinds_of(two.run.judge()), std::vector<std::string>{"retracing"});
}

// Line 12 leaves a weight in each step, line 14 as many native bytes as `native` says. A list keeps the weights: as they
// are, or in models.
Findings archive(bool has_models, uint64_t native) {
  RunBuilder run;
  SiteId weight;
  for (int i = 0; i < kSteps; ++i) {
    run.round(10);
    weight = run.born(12, 5 * kBytes).site;
    run.born(14, native);
  }
  SnapshotBuilder heap;
  uint32_t list = heap.container("list", kSteps);
  heap.edge(heap.module("__main__"), list, "['archive']");
  for (int i = 0; i < kSteps; ++i) {
    uint32_t item = has_models ? heap.object("Model") : list;
    if (has_models) heap.edge(list, item, "[" + std::to_string(i) + "]");
    heap.edge(item, heap.array(5 * kBytes, weight.value), has_models ? ".w" : "[0]");
  }
  return run.judge_with(heap.snapshot());
}

TEST(Causes, ALittleThatNobodyIsSeenToHoldBelongsToTheObjectsThatPileUpWithIt) {
  Findings findings = archive(true, kBytes);
  ASSERT_EQ(findings.findings.size(), 1u);
  EXPECT_EQ(findings.findings[0].bytes, kSteps * 6 * kBytes);
  EXPECT_EQ(lines_of(findings.findings[0]), (std::vector<int>{12, 14}));
  EXPECT_EQ(archive(true, 4 * kBytes).findings.size(), 2u) << "much of it is a leak of its own";
  EXPECT_EQ(archive(false, kBytes).findings.size(), 2u) << "arrays own nothing unseen";
}

// What works on all that is there makes more blocks in each step, and those of the last are still in use at the end. They
// hide how the site rises, but not that it was left something all along.
TEST(Causes, ASiteThatIsLeftSomethingAllAlongIsPartOfIt) {
  constexpr int kFewer = 40;
  RunBuilder run;
  for (int i = 0; i < kFewer; ++i) {
    run.round(10);
    run.cause(13, Kind::graph_growth);
    run.born(13, 5 * kBytes);
    run.cause(12, Kind::graph_growth);
    run.born(12, kBytes);
    std::vector<RunBuilder::Block> in_use;
    for (int n = 0; n < i; ++n) in_use.push_back(run.born(12, kBytes));
    bool is_last = i == kFewer - 1;
    for (const auto& block : in_use) {
      if (!is_last) run.end(block);
    }
  }
  Findings findings = run.judge();
  ASSERT_EQ(kinds_of(findings), std::vector<std::string>{"graph-growth"});
  EXPECT_EQ(findings.findings[0].bytes, (kFewer * 6 + kFewer - 1) * kBytes);
}

// What a site holds besides, and what passes through it, make its rise a small part of it and of its births. The moment
// when it held most is then saved long before the end.
TEST(Causes, WhatRisesSlowlyIsJudgedAsItWasWhileItWasHeld) {
  constexpr int kStanding = 200, kMore = 69;  // one less than the next time it would be saved
  RunBuilder run;
  std::vector<RunBuilder::Block> held;
  for (int i = 0; i < kStanding; ++i) held.push_back(run.born(12, kBytes));
  for (int i = 0; i < kMore; ++i) {
    run.round(10);
    run.cause(13, Kind::graph_growth);
    held.push_back(run.born(13, 5 * kBytes));
    run.cause(12, Kind::graph_growth);
    held.push_back(run.born(12, kBytes));
    for (int n = 0; n < 5; ++n) run.make_and_end(12, kBytes);
  }
  for (const auto& block : held) run.end(block);
  Findings findings = run.judge();
  ASSERT_EQ(kinds_of(findings), std::vector<std::string>{"graph-growth"});
  EXPECT_GT(findings.findings[0].bytes, (kMore * 5 + kStanding) * kBytes);
}

// Chance put the most samples a little before the end; they were let go with the others, behind the loop.
TEST(Causes, SamplesThatWereMostBeforeTheEndAreJudgedAsHeldToIt) {
  constexpr int kSteps = 200, kMost = 160, kByChance = 45;
  RunBuilder run;
  std::vector<RunBuilder::Block> held;
  for (int i = 0; i < kSteps; ++i) {
    run.round(10);
    run.cause(13, Kind::graph_growth);
    held.push_back(run.born(13, kBytes));
    run.cause(12, Kind::graph_growth);
    held.push_back(run.born_as_sample(12, kBytes));
    if (i != kMost) continue;
    std::vector<RunBuilder::Block> more;
    for (int n = 0; n < kByChance; ++n) more.push_back(run.born_as_sample(12, kBytes));
    for (const auto& block : more) run.end(block);
  }
  for (const auto& block : held) run.end(block);
  Findings findings = run.judge();
  ASSERT_EQ(kinds_of(findings), std::vector<std::string>{"graph-growth"});
  EXPECT_GT(findings.findings[0].bytes, (kSteps + kMost) * kBytes);
}

}  // namespace
}  // namespace tenure::analyze
