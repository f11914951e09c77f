// Growths and snapshots in, explained growths out: which snapshot is asked, what is joined, what is dropped.
#include "analyze/findings/merge.h"
#include "analyze/growth/held_growth.h"
#include "analyze/heap/waiting_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sentence_writer.h"
#include "report/holders.h"
#include "report/sentences.h"
#include "snapshot_builder.h"

namespace tenure::analyze {
namespace {

using testing::HasSubstr;

Growth growth_of(uint32_t site, uint64_t bytes, GrowthClass what = GrowthClass::leak) {
  Growth growth;
  growth.what = what;
  growth.sites = {SiteId{site}};
  growth.bytes = bytes;
  growth.count = bytes / 1000;
  growth.bytes_per_step = 1000;
  growth.per = "step";
  return growth;
}

// As the stages do it: who holds them, then one for each cause.
std::vector<Judgement> explain_growths(std::vector<Growth> growths, Holders& holders) {
  return merge_growths(judge_by_holders(std::move(growths), holders, 0));
}

std::vector<ledger::Snapshot> one(const SnapshotBuilder& builder) {
  std::vector<ledger::Snapshot> snapshots;
  snapshots.push_back(builder.snapshot());
  return snapshots;
}

SnapshotBuilder list_of(int items, const std::string& name, uint32_t bound = 0) {
  SnapshotBuilder b;
  uint32_t list = b.container("collections.deque", static_cast<uint32_t>(items), bound);
  b.edge(b.module("__main__"), list, "['" + name + "']");
  b.fill(list, items);
  return b;
}

TEST(Explain, TheNewestSnapshotThatHasHalfIsAsked) {
  std::vector<ledger::Snapshot> snapshots;
  snapshots.push_back(list_of(40, "oldest").snapshot());
  snapshots.push_back(list_of(30, "newer").snapshot());
  snapshots.push_back(list_of(10, "newest").snapshot());
  Holders holders(snapshots, "train.py");
  auto held = holders.explain(growth_of(1, 50000));
  ASSERT_TRUE(held);
  EXPECT_THAT(held->holder.text, HasSubstr("name=newer"));
  EXPECT_TRUE(held->is_most);
  EXPECT_FALSE(holders.explain(growth_of(1, 50000000))) << "they have next to nothing of it";
  EXPECT_FALSE(holders.explain(growth_of(2, 1000))) << "a site that no block is of";
}

TEST(Explain, WhereAllIsSeenEarlyTheOneHolderOfMostIsTold) {
  std::vector<ledger::Snapshot> snapshots;
  snapshots.push_back(list_of(12, "losses").snapshot());
  Holders holders(snapshots, "train.py");
  auto held = holders.explain(growth_of(1, 500000));
  ASSERT_TRUE(held);
  EXPECT_THAT(held->holder.text, HasSubstr("name=losses"));
}

TEST(Explain, ItemsThatCameAfterTheSnapshotAreNotClaimedToBeCounted) {
  auto snapshots = one(list_of(40, "seen"));
  auto text_of = [&](uint64_t bytes) {
    return report::rendered(
        Holders(snapshots, "train.py").explain(growth_of(1, bytes))->holder.text);
  };
  EXPECT_THAT(text_of(40'000), HasSubstr("(40 items)"));
  EXPECT_THAT(text_of(41'000), HasSubstr("(40 items)")) << "one is in the hands of the last step";
  EXPECT_THAT(text_of(43'000), HasSubstr("(at least 40 items)"));
}

// Five samples that one object keeps, made from tick 0 on, and a loop of a hundred steps.
std::optional<Explanation> holder_of_five(Tick last_birth) {
  SnapshotBuilder b;
  uint32_t total = b.object("Total");
  b.edge(b.frame("main"), total, "local `total`");
  for (int i = 0; i < 5; ++i) b.block(total, 1000, 1);
  auto snapshots = one(b);
  Growth growth = growth_of(1, 40000);
  growth.steps = growth.unit.steps = 100;
  growth.unit.marks = {{0, 0}, {1000, 100}};
  Slice slice;
  slice.to = last_birth;
  slice.births = 5;
  growth.lives = {{slice}};
  return Holders(snapshots, "train.py").explain(growth);
}

// A library compiles something large in the first of a hundred steps; every step keeps a small block in a list.
TEST(Explain, WhatTheFirstStepMadeDoesNotTellWhoHoldsTheGrowth) {
  for (int later : {8, 7}) {
    SnapshotBuilder b;
    uint32_t globals = b.module("__main__"), client = b.object("Client");
    b.edge(globals, client, "['client']");
    b.block(client, 50'000, 1);
    uint32_t list = b.container("list", static_cast<uint32_t>(later));
    b.edge(globals, list, "['kept']");
    b.fill(list, later);
    auto snapshots = one(b);
    Growth growth = growth_of(1, 60'000);
    growth.steps = growth.unit.steps = 100;
    growth.unit.marks = {{0, 0}, {1000, 100}};
    Slice slice;
    slice.to = 1000;
    slice.births = 10;
    growth.lives = {{slice}};
    auto held = Holders(snapshots, "train.py").explain(growth);
    ASSERT_TRUE(held) << later;
    EXPECT_THAT(held->holder.text, HasSubstr(later == 8 ? "name=kept" : "name=client"));
  }
}

TEST(Explain, AFewBlocksAreEnoughWhereTheyAreOfManySteps) {
  auto held = holder_of_five(500);
  ASSERT_TRUE(held);
  EXPECT_THAT(held->holder.text, HasSubstr("name=total"));
  EXPECT_FALSE(holder_of_five(20)) << "they may be of the step that is under way";
}

// Small objects that pile up: all that is known of them is the dict whose table grows.
SnapshotBuilder table_of(uint64_t bytes, const std::string& name) {
  SnapshotBuilder b;
  uint32_t dict = b.container("dict", static_cast<uint32_t>(bytes / 40));
  b.edge(b.module("__main__"), dict, "['" + name + "']");
  b.block(dict, bytes, 5);
  return b;
}

Growth growth_of_objects(uint64_t bytes) {
  Growth growth = growth_of(1, bytes, GrowthClass::suspected);
  growth.rule = Rule::small_objects;
  return growth;
}

TEST(Explain, SmallObjectsThatFillOneDictAreALeak) {
  std::vector<ledger::Snapshot> snapshots;
  for (uint64_t bytes : {100'000, 400'000, 1'600'000})
    snapshots.push_back(table_of(bytes, "by_user").snapshot());
  Holders holders(snapshots, "train.py");
  auto explained = explain_growths({growth_of_objects(20'000'000)}, holders);
  ASSERT_EQ(explained.size(), 1u);
  EXPECT_EQ(explained[0].growth.what, GrowthClass::leak);
  ASSERT_TRUE(explained[0].held);
  EXPECT_THAT(explained[0].held->holder.text, HasSubstr("name=by_user"));
  EXPECT_EQ(explained[0].held->table, SiteId{5});
}

TEST(Explain, SmallObjectsBesideADictThatStaysAreOnlySuspected) {
  std::vector<ledger::Snapshot> snapshots;
  for (int i = 0; i < 3; ++i) snapshots.push_back(table_of(400'000, "words").snapshot());
  Holders holders(snapshots, "train.py");
  auto explained = explain_growths({growth_of_objects(20'000'000)}, holders);
  ASSERT_EQ(explained.size(), 1u);
  EXPECT_EQ(explained[0].growth.what, GrowthClass::suspected);
}

TEST(Explain, ADictMuchTooSmallForTheObjectsIsNotTheirHolder) {
  std::vector<ledger::Snapshot> snapshots;
  for (uint64_t bytes : {20'000, 60'000}) snapshots.push_back(table_of(bytes, "few").snapshot());
  Holders holders(snapshots, "train.py");
  auto explained = explain_growths({growth_of_objects(500'000'000)}, holders);
  ASSERT_EQ(explained.size(), 1u);
  EXPECT_EQ(explained[0].growth.what, GrowthClass::suspected);
}

TEST(Explain, ABoundedHolderIsNoLeakAndTellsHowFullItIs) {
  auto snapshots = one(list_of(40, "recent", 100));
  Holders holders(snapshots, "train.py");
  auto explained = explain_growths({growth_of(1, 40000)}, holders);
  ASSERT_EQ(explained.size(), 1u);
  EXPECT_EQ(explained[0].growth.what, GrowthClass::bounded);
  EXPECT_EQ(explained[0].held->bound.length, 40u);
  EXPECT_EQ(explained[0].held->bound.limit, 100u);
}

TEST(Explain, WhoKeepsTheThingsOfACauseIsAskedOfTheSnapshotThatHasMost) {
  std::vector<ledger::Snapshot> snapshots;
  for (int items : {30, 5}) {
    SnapshotBuilder b;
    uint32_t list = b.container("list", static_cast<uint32_t>(items));
    b.edge(b.module("__main__"), list, items == 30 ? "['failures']" : "['rest']");
    for (int i = 0; i < items; ++i)
      b.edge(list, b.thing("Session", 7), "[" + std::to_string(i) + "]");
    snapshots.push_back(b.snapshot());
  }
  Holders holders(snapshots, "train.py");
  auto held = holders.explain_objects_of(7, growth_of(1, 50000));
  ASSERT_TRUE(held);
  EXPECT_THAT(held->holder.text, HasSubstr("name=failures"));
  EXPECT_TRUE(held->is_of_cause);
  EXPECT_FALSE(holders.explain_objects_of(8, growth_of(1, 50000))) << "none of them is there";
}

// Making them left blocks behind that the collector freed later; the things themselves never went.
TEST(Explain, WhatWasLetGoCountsNothingWhereAllThingsOfTheCauseAreStillThere) {
  SnapshotBuilder b;
  uint32_t list = b.container("list", 30);
  b.edge(b.module("__main__"), list, "['traces']");
  for (int i = 0; i < 30; ++i) b.edge(list, b.thing("FuncGraph", 7), "[" + std::to_string(i) + "]");
  auto snapshots = one(b);
  Holders holders(snapshots, "train.py");
  auto judged_with = [&](uint64_t times, bool has_released) {
    Growth growth = growth_of(1, 50000, GrowthClass::suspected);
    growth.rule = has_released ? Rule::released_before : Rule::bursts;
    growth.cause.emplace();
    growth.cause->number = 7;
    growth.cause->times = growth.cause->objects = times;
    return explain_growths({growth}, holders).at(0).growth.what;
  };
  EXPECT_EQ(judged_with(32, true), GrowthClass::leak);
  EXPECT_EQ(judged_with(60, true), GrowthClass::suspected) << "half of the things went too";
  EXPECT_EQ(judged_with(32, false), GrowthClass::suspected) << "something else is missed";
}

// Sessions that clear_session() dropped in cycles are as good as gone; runs of them are no sessions.
TEST(Explain, ThingsThatWaitForTheCollectorAreNotStillThere) {
  SnapshotBuilder b;
  uint32_t garbage = b.root(ledger::NodeKind::garbage_root);
  uint32_t list = b.container("list", 10);
  b.edge(b.module("__main__"), list, "['sessions']");
  for (int i = 0; i < 10; ++i) {
    b.edge(garbage, b.thing("Session", 7), "");
    b.edge(list, b.thing("Session", 8), "[" + std::to_string(i) + "]");
  }
  auto snapshots = one(b);
  Holders holders(snapshots, "train.py");
  EXPECT_FALSE(holders.has_all_objects_of(7, 10));
  EXPECT_TRUE(holders.has_all_objects_of(8, 10));
}

TEST(WaitingBytes, AreThoseThatNothingButGarbageLeadsTo) {
  SnapshotBuilder b = list_of(10, "kept");
  EXPECT_EQ(waiting_bytes(b.snapshot()), 0u) << "there is no garbage";
  uint32_t node = b.object("m.Solver"), shared = b.array(700, 1);
  b.edge(b.root(ledger::NodeKind::garbage_root), node, "");
  b.edge(node, node, ".me");
  b.edge(node, b.array(5000, 1), ".matrix");
  b.edge(node, shared, ".shared");
  b.edge(b.module("__main__"), shared, "['shared']");
  EXPECT_EQ(waiting_bytes(b.snapshot()), 5000u);
}

TEST(Explain, ThingsAreNoMemory) {
  SnapshotBuilder b = list_of(10, "arrays");
  for (int i = 0; i < 30; ++i) b.edge(b.module("__main__"), b.thing("Session", 7), "['s']");
  auto snapshots = one(b);
  auto summary = Holders(snapshots, "train.py").summary(10);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->all_bytes, 10000u);
}

TEST(Explain, GrowthsWithOneHolderAreOne) {
  SnapshotBuilder b;
  uint32_t problems = b.container("list", 20);
  b.edge(b.module("__main__"), problems, "['problems']");
  for (int i = 0; i < 20; ++i) {
    uint32_t error = b.object("ValueError"), traceback = b.object("traceback"),
             frame = b.namespace_of("frame", "solve() of train.py");
    b.edge(problems, error, "[" + std::to_string(i) + "]");
    b.edge(error, traceback, ".__traceback__");
    b.edge(traceback, frame, ".tb_frame");
    b.edge(frame, b.array(2000, 7), " local `matrix`");
    b.edge(frame, b.array(1000, 11), " local `workspace`");
  }
  auto snapshots = one(b);
  Holders holders(snapshots, "train.py");
  auto explained =
      explain_growths({growth_of(7, 40000), growth_of(11, 20000, GrowthClass::suspected)}, holders);
  ASSERT_EQ(explained.size(), 1u);
  EXPECT_EQ(explained[0].growth.bytes, 60000u);
  EXPECT_EQ(explained[0].growth.bytes_per_step, 2000);
  EXPECT_EQ(explained[0].growth.what, GrowthClass::leak);
  EXPECT_EQ(explained[0].growth.sites.size(), 2u);
  EXPECT_EQ(explained[0].held->retention_kind, RetentionKind::frame);
}

// The loop of the program has ended and cancelled the tasks that were left. Errors that are kept for themselves are
// another thing, cancelled or not.
TEST(Explain, WhatCancelledTasksKeepIsKeptByTasks) {
  struct {
    const char* error;
    bool is_of_task;
    RetentionKind kind;
  } rows[] = {
      {"asyncio.exceptions.CancelledError", true, RetentionKind::python},
      {"asyncio.exceptions.CancelledError", false, RetentionKind::frame},
      {"ValueError", true, RetentionKind::frame},
  };
  for (const auto& row : rows) {
    SnapshotBuilder b;
    uint32_t kept = b.container("set", 20);
    b.edge(b.module("__main__"), kept, "['background']");
    for (int i = 0; i < 20; ++i) {
      uint32_t task = row.is_of_task ? b.object("_asyncio.Task") : b.object("list");
      uint32_t error = b.object(row.error), outer = b.object("traceback");
      uint32_t inner = b.object("traceback");
      uint32_t frame = b.namespace_of("frame", "linger() of server.py");
      b.edge(kept, task, "");
      b.edge(task, error, "");
      b.edge(error, outer, ".__traceback__");
      b.edge(outer, inner, ".tb_next");
      b.edge(inner, frame, ".tb_frame");
      b.edge(frame, b.array(2000, 7), " local `data`");
    }
    auto snapshots = one(b);
    auto held = Holders(snapshots, "server.py").explain(growth_of(7, 40000));
    ASSERT_TRUE(held);
    EXPECT_EQ(held->retention_kind, row.kind) << row.error << row.is_of_task;
  }
}

// Up to 3.10 the frame of a generator that waits is an object of its own. One that somebody keeps is another thing.
TEST(Explain, TheFrameOfAGeneratorIsAPartOfIt) {
  for (bool is_of_generator : {true, false}) {
    SnapshotBuilder b;
    uint32_t kept = b.container("list", 20);
    b.edge(b.module("__main__"), kept, "['streams']");
    for (int i = 0; i < 20; ++i) {
      uint32_t item = b.object(is_of_generator ? "generator" : "m.Probe");
      uint32_t frame = b.namespace_of("frame", "reader() of train.py");
      b.edge(kept, item, "[" + std::to_string(i) + "]");
      b.edge(item, frame, is_of_generator ? "" : ".seen");
      b.edge(frame, b.array(2000, 7), " local `row`");
    }
    auto snapshots = one(b);
    auto held = Holders(snapshots, "train.py").explain(growth_of(7, 40000));
    ASSERT_TRUE(held);
    EXPECT_EQ(held->retention_kind, is_of_generator ? RetentionKind::python : RetentionKind::frame);
  }
}

// While main() runs a list of it has a name; once it has returned, 40 blocks hang from a cycle.
std::vector<ledger::Snapshot> named_then_garbage(int named) {
  SnapshotBuilder after;
  uint32_t node = after.object("m.Solver"), list = after.container("list", 40);
  after.edge(after.root(ledger::NodeKind::garbage_root), node, "");
  after.edge(node, node, ".me");
  after.edge(node, list, ".problems");
  after.fill(list, 40);
  std::vector<ledger::Snapshot> snapshots;
  snapshots.push_back(list_of(named, "problems").snapshot());
  snapshots.push_back(after.snapshot());
  return snapshots;
}

TEST(Explain, WhatHadANameWhileMainRanIsNotToldAsGarbage) {
  auto snapshots = named_then_garbage(30);
  Holders holders(snapshots, "train.py");
  EXPECT_EQ(holders.explain(growth_of(1, 40000))->retention_kind, RetentionKind::python);
  EXPECT_EQ(holders.explain(growth_of(1, 70000))->retention_kind, RetentionKind::python)
      << "a tenth is enough";
}

TEST(Explain, AFewNamedBlocksDoNotExplainMuchGarbage) {
  auto snapshots = named_then_garbage(3);
  Holders holders(snapshots, "train.py");
  EXPECT_EQ(holders.explain(growth_of(1, 70000))->retention_kind, RetentionKind::cycle);
}

// A dict has the newest four, and the cycles that it gave up wait for the collector: while the program runs, and at its end.
SnapshotBuilder window_beside(int waiting) {
  SnapshotBuilder b = list_of(12, "resident");
  uint32_t garbage = b.root(ledger::NodeKind::garbage_root);
  for (int i = 0; i < waiting; ++i) {
    uint32_t graph = b.object("m.Graph");
    b.edge(garbage, graph, "");
    b.edge(graph, graph, ".me");
    b.edge(graph, b.array(1000), ".data");
  }
  return b;
}

TEST(Explain, WhatWasGarbageWhileTheProgramRanHasNoName) {
  for (int waiting : {3, 4}) {
    std::vector<ledger::Snapshot> snapshots;
    snapshots.push_back(window_beside(waiting).snapshot());
    snapshots.push_back(window_beside(40).snapshot());
    Holders holders(snapshots, "train.py");
    EXPECT_EQ(holders.explain(growth_of(1, 52000))->retention_kind,
              waiting < 4 ? RetentionKind::python : RetentionKind::cycle);
  }
}

TEST(Explain, WhatWaitsInManyThreadsIsHeldByTheirVariable) {
  SnapshotBuilder b;
  for (int i = 0; i < 60; ++i) {
    uint32_t frame = b.frame("watch() of jobs.py, thread Thread-" + std::to_string(i));
    b.edge(frame, b.array(1000), " local `window`");
  }
  auto snapshots = one(b);
  Holders holders(snapshots, "jobs.py");
  auto found = holders.explain(growth_of(1, 60000));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_most);
  EXPECT_THAT(report::rendered(found->holder.text), HasSubstr("`window` of watch() in 60 threads"));
}

TEST(Explain, GrowthsWithTwoHoldersAreTwo) {
  SnapshotBuilder b;
  uint32_t globals = b.module("__main__");
  for (uint32_t site : {1u, 2u}) {
    uint32_t list = b.container("list", 20);
    b.edge(globals, list, "['list" + std::to_string(site) + "']");
    b.fill(list, 20, site);
  }
  auto snapshots = one(b);
  Holders holders(snapshots, "train.py");
  EXPECT_EQ(explain_growths({growth_of(1, 20000), growth_of(2, 20000)}, holders).size(), 2u);
}

TEST(Explain, OfTheFirstBlocksOnlyAContainerThatHasThemAllIsTold) {
  auto snapshots = one(list_of(20, "rows"));
  Holders holders(snapshots, "train.py");
  auto held = holders.explain(growth_of(1, 5'000'000));
  ASSERT_TRUE(held);
  EXPECT_THAT(held->holder.text, HasSubstr("name=rows"));
  EXPECT_FALSE(holders.explain(growth_of(1, 50'000'000)));
}

TEST(Explain, WithoutSnapshotsGrowthsStayAsTheyAre) {
  std::vector<ledger::Snapshot> none;
  Holders holders(none, "train.py");
  auto explained = explain_growths({growth_of(1, 40000)}, holders);
  ASSERT_EQ(explained.size(), 1u);
  EXPECT_FALSE(explained[0].held);
  EXPECT_FALSE(holders.summary(8));
}

TEST(Explain, TheTypeThatGrewMostIsNamedFromTwoSnapshots) {
  SnapshotBuilder before, after;
  before.count_type("Node", 1000, 56000);
  before.count_type("dict", 5000, 500000);
  after.count_type("Node", 215000, 12040000);
  after.count_type("dict", 5100, 510000);
  std::vector<ledger::Snapshot> snapshots;
  snapshots.push_back(before.snapshot());
  EXPECT_EQ(Holders(snapshots, "").grown_type(), "");
  snapshots.push_back(after.snapshot());
  EXPECT_EQ(Holders(snapshots, "").grown_type(),
            sentence("held.grown_type", {{"count", 214000}, {"type", "Node"}}));
}

TEST(HoldersTable, ListsHoldersAndTheRest) {
  SnapshotBuilder b = list_of(40, "losses");
  uint32_t native = b.root(ledger::NodeKind::native_root);
  for (int i = 0; i < 4; ++i) b.edge(native, b.array(1000, 3, "torch.Tensor"), "");
  b.array(1000);  // nobody refers to it
  auto snapshots = one(b);
  std::string table = report::holders_table(Holders(snapshots, "train.py").summary(8));
  EXPECT_THAT(
      table,
      HasSubstr("39.1 KiB        40  b1.20     global deque `losses` of train.py (40 items)"));
  EXPECT_THAT(table, HasSubstr("native code holds 4 Tensor"));
  EXPECT_THAT(table, HasSubstr("1000 B                      no Python object leads there"));
  EXPECT_THAT(table, HasSubstr("3.9 KiB held by native code, 0 B garbage"));
}

TEST(HoldersTable, SaysWhenThereIsNoSnapshot) {
  EXPECT_EQ(report::holders_table(std::nullopt),
            "  no snapshot was taken: who held what is not known\n");
}

// Objects of a class that wait for the collector in groups of two: each leads to a part of its own.
SnapshotBuilder garbage_of(int groups, const std::string& type) {
  SnapshotBuilder b = list_of(1, "kept");
  uint32_t root = b.root(ledger::NodeKind::garbage_root);
  for (int i = 0; i < groups; ++i) {
    uint32_t top = b.object(type);
    b.edge(root, top, "");
    b.edge(top, b.object("Operation"), ".op");
  }
  return b;
}

// Blocks of site 7, of which no snapshot knows anything.
Growth native_growth(uint64_t steps, uint64_t bytes_at_end) {
  Growth growth = growth_of(7, 2'000'000);
  growth.steps = steps;
  growth.bytes_at_end = bytes_at_end;
  return growth;
}

TEST(Explain, NativeMemoryThatWentWithTheInterpreterIsOwnedByGarbageThatPiledUp) {
  auto snapshots = one(garbage_of(20, "FuncGraph"));
  Holders holders(snapshots, "serve.py");
  auto explained = explain_growths({native_growth(25, 1000)}, holders);
  ASSERT_EQ(explained.size(), 1u);
  ASSERT_TRUE(explained[0].held);
  EXPECT_EQ(explained[0].held->retention_kind, RetentionKind::cycle);
  EXPECT_EQ(explained[0].held->holder.text,
            sentence("held.waiting_class.holder", {{"count", 20}, {"type", "FuncGraph"}}));
}

TEST(Explain, NativeMemoryIsNotLaidAtGarbagesDoorWithoutEvidence) {
  auto held = [](const SnapshotBuilder& builder, const Growth& growth) {
    auto snapshots = one(builder);
    return Holders(snapshots, "serve.py").explain_by_garbage(growth).has_value();
  };
  EXPECT_TRUE(held(garbage_of(20, "FuncGraph"), native_growth(25, 0)));
  EXPECT_TRUE(held(garbage_of(12, "Sequential"), native_growth(30, 0))) << "others were collected";
  EXPECT_TRUE(held(garbage_of(20, "FuncGraph"), native_growth(25, 200'000))) << "in use at the end";
  EXPECT_FALSE(held(garbage_of(20, "FuncGraph"), native_growth(25, 2'000'000))) << "never freed";
  EXPECT_FALSE(held(garbage_of(20, "FuncGraph"), native_growth(200, 0)))
      << "few, for so many steps";
  EXPECT_FALSE(held(garbage_of(3, "FuncGraph"), native_growth(5, 0)))
      << "main() may have held them";
  EXPECT_FALSE(held(garbage_of(20, "list"), native_growth(25, 0))) << "lists own nothing unseen";
  EXPECT_FALSE(held(list_of(40, "kept"), native_growth(25, 0))) << "no garbage";
}

}  // namespace
}  // namespace tenure::analyze
