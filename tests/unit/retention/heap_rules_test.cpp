// tests/unit/retention/heap_rules_test.cpp: the thresholds of analyze/heap/rules.h: each heap lies just within its threshold,
// the next one just beyond it.
#include <gtest/gtest.h>

#include <numeric>

#include "analyze/heap/grown_container.h"
#include "analyze/heap/holder_text.h"
#include "analyze/heap/holders.h"
#include "snapshot_builder.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;
using ledger::Snapshot;

constexpr uint64_t kBlock = 1000;  // bytes of each block here

bool is_in(const std::string& part, const std::string& text) {
  return text.find(part) != std::string::npos;
}
std::string item(int i) { return "[" + std::to_string(i) + "]"; }
std::string key(const std::string& name) { return "['" + name + "']"; }

std::vector<Snapshot> one(const SnapshotBuilder& builder) {
  std::vector<Snapshot> snapshots;
  snapshots.push_back(builder.snapshot());
  return snapshots;
}

// Global lists with so many blocks each.
SnapshotBuilder lists_of(const std::vector<int>& lengths) {
  SnapshotBuilder b;
  uint32_t globals = b.module("__main__");
  for (size_t i = 0; i < lengths.size(); ++i) {
    uint32_t list = b.container("list", static_cast<uint32_t>(lengths[i]));
    b.edge(globals, list, key("rows" + std::to_string(i)));
    b.fill(list, lengths[i]);
  }
  return b;
}

// So many objects in a cycle of their own, with a block each.
SnapshotBuilder garbage_of(int groups) {
  SnapshotBuilder b;
  uint32_t root = b.root(NodeKind::garbage_root);
  for (int i = 0; i < groups; ++i) {
    uint32_t solver = b.object("m.Solver");
    b.edge(root, solver, "");
    b.edge(solver, solver, ".me");
    b.edge(solver, b.array(), ".matrix");
  }
  return b;
}

Accumulation pile_of(uint64_t bytes) {
  Accumulation pile;
  pile.sites = {SiteId{1}};
  pile.bytes = bytes;
  return pile;
}

std::optional<Explanation> explained(const SnapshotBuilder& b, uint64_t bytes) {
  auto snapshots = one(b);
  return Holders(snapshots, "train.py").explain(pile_of(bytes));
}

// ---- which snapshot is asked about a growth

TEST(HeapRules, TheLessASnapshotHasOfAGrowthTheMoreOneHolderMustHaveOfIt) {
  struct {
    const char* holder;
    SnapshotBuilder heap;
    uint64_t bytes;  // of the largest growth that it explains
  } rows[] = {
      {"garbage has half", garbage_of(20), 40'000},
      {"three lists have a tenth", lists_of({8, 8, 8}), 240'000},
      {"a list with most has a fiftieth", lists_of({12, 8}), 1'000'000},
      {"a list with all has two thousandths", lists_of({20}), 10'000'000},
  };
  for (const auto& row : rows) {
    EXPECT_TRUE(explained(row.heap, row.bytes)) << row.holder;
    EXPECT_FALSE(explained(row.heap, row.bytes + 1)) << row.holder;
  }
}

TEST(HeapRules, EightBlocksOfAnObjectOrFourOfAListExplainAGrowth) {
  auto by_object = [](int blocks) {
    SnapshotBuilder b;
    uint32_t total = b.object("Total");
    b.edge(b.frame("main"), total, " local `total`");
    for (int i = 0; i < blocks; ++i) b.block(total, kBlock, 1);
    return explained(b, 30'000).has_value();
  };
  EXPECT_TRUE(by_object(8));
  EXPECT_FALSE(by_object(7));
  EXPECT_TRUE(explained(lists_of({4}), 30'000));
  EXPECT_FALSE(explained(lists_of({3}), 30'000));
}

TEST(HeapRules, AListWithThreeQuartersHasNearlyAll) {
  EXPECT_TRUE(explained(lists_of({75, 25}), 100'000)->is_in_one_container);
  EXPECT_FALSE(explained(lists_of({74, 26}), 100'000)->is_in_one_container);
}

TEST(HeapRules, HoldersOfAFiftiethOfAGrowthAreTold) {
  auto holder = [](size_t lists) {
    return explained(lists_of(std::vector<int>(lists, 1)), lists * kBlock)->holder.text;
  };
  EXPECT_TRUE(is_in("rows", holder(50)));
  EXPECT_FALSE(is_in("rows", holder(51))) << "told by their module";
}

TEST(HeapRules, HoldersOfOneInTwoHundredBytesAreListed) {
  auto listed = [](int holders) {
    auto snapshots = one(lists_of(std::vector<int>(static_cast<size_t>(holders), 1)));
    return Holders(snapshots, "train.py").summary(1000)->holders.size();
  };
  EXPECT_EQ(listed(200), 200u);
  EXPECT_EQ(listed(201), 1u) << "told by their module";
}

// ---- objects that adapters saw pile up, and garbage

TEST(HeapRules, ThreeObjectsOfACauseAreAPile) {
  auto is_kept = [](int objects) {
    SnapshotBuilder b;
    uint32_t list = b.container("list", static_cast<uint32_t>(objects));
    b.edge(b.module("__main__"), list, key("sessions"));
    for (int i = 0; i < objects; ++i) b.edge(list, b.thing("Session", 7), item(i));
    auto snapshots = one(b);
    return Holders(snapshots, "train.py").explain_objects_of(7, pile_of(1)).has_value();
  };
  EXPECT_TRUE(is_kept(3));
  EXPECT_FALSE(is_kept(2));
}

TEST(HeapRules, ThreeQuartersOfTheObjectsOfACauseAreNearlyAll) {
  SnapshotBuilder b;
  uint32_t list = b.container("list", 300);
  b.edge(b.module("__main__"), list, key("sessions"));
  for (int i = 0; i < 300; ++i) b.edge(list, b.thing("Session", 7), item(i));
  auto snapshots = one(b);
  Holders holders(snapshots, "train.py");
  EXPECT_TRUE(holders.has_all_objects_of(7, 400));
  EXPECT_FALSE(holders.has_all_objects_of(7, 401));
}

TEST(HeapRules, FourGroupsOfGarbagePileUp) {
  auto found = [](int groups) {
    auto snapshots = one(garbage_of(groups));
    return Holders(snapshots, "train.py").worst_garbage(0).groups;
  };
  EXPECT_EQ(found(4), 4u);
  EXPECT_EQ(found(3), 0u);
}

TEST(HeapRules, NativeMemoryBelongsToGarbageThatIsManyAndWentAtTheEnd) {
  struct {
    const char* what;
    int waiting;
    uint64_t steps, left;  // bytes of 4000 at the end
    bool is_owned;
  } rows[] = {
      {"four objects wait", 4, 4, 0, true},
      {"three may be what main() held", 3, 3, 0, false},
      {"one waits for four steps", 10, 40, 0, true},
      {"fewer wait", 10, 41, 0, false},
      {"less than a quarter is left", 10, 10, 999, true},
      {"a quarter is left", 10, 10, 1000, false},
  };
  for (const auto& row : rows) {
    auto snapshots = one(garbage_of(row.waiting));
    Accumulation pile = pile_of(4000);
    pile.steps = row.steps;
    pile.bytes_at_end = row.left;
    EXPECT_EQ(Holders(snapshots, "train.py").explain_by_garbage(pile).has_value(), row.is_owned)
        << row.what;
  }
}

// ---- from the blocks up to what they hang from

// The holders of all blocks of a heap.
class Held {
 public:
  explicit Held(const SnapshotBuilder& builder) : snapshot_(builder.snapshot()), graph_(snapshot_) {
    std::vector<uint32_t> all(snapshot_.buffers().size());
    std::iota(all.begin(), all.end(), 0);
    holders_ = holders_of(graph_, all, 0.02);
  }
  size_t count() const { return holders_.size(); }
  const Retention& first() const { return holders_.at(0); }
  std::string text() const { return say_holder(graph_, first(), "train.py").text; }

 private:
  Snapshot snapshot_;
  HeapGraph graph_;
  std::vector<Retention> holders_;
};

TEST(HeapRules, AnItemWithThreeQuartersIsTheHolder) {
  for (int most : {75, 74}) {
    SnapshotBuilder b;
    uint32_t pair = b.container("list", 2), big = b.container("list", 75),
             small = b.container("list", 25);
    b.edge(b.module("__main__"), pair, key("pair"));
    b.edge(pair, big, "[0]");
    b.edge(pair, small, "[1]");
    b.fill(big, most);
    b.fill(small, 100 - most);
    EXPECT_EQ(Held(b).first().point, most == 75 ? big : pair) << most;
  }
}

// Layers with a list of their own in the same attribute.
SnapshotBuilder layers_of(int layers, int blocks) {
  SnapshotBuilder b;
  uint32_t list = b.container("list", static_cast<uint32_t>(layers));
  b.edge(b.module("__main__"), list, key("layers"));
  for (int i = 0; i < layers; ++i) {
    uint32_t layer = b.object("m.Linear"), kept = b.container("list", 1);
    b.edge(list, layer, item(i));
    b.edge(b.dict_of(layer), kept, key("inputs"));
    b.fill(kept, blocks);
  }
  return b;
}

TEST(HeapRules, UpToSixteenObjectsWithFourBlocksEachAreToldByTheirAttribute) {
  EXPECT_EQ(Held(layers_of(16, 4)).first().alike, 16u);
  EXPECT_EQ(Held(layers_of(17, 4)).first().alike, 1u) << "told by the list of layers";
  EXPECT_EQ(Held(layers_of(16, 3)).first().alike, 1u);
}

TEST(HeapRules, BlocksThatHangFromTwoContainersAtOnceKnowBoth) {
  SnapshotBuilder b;
  uint32_t optimizer = b.object("torch.optim.Adam"), fields = b.dict_of(optimizer);
  b.edge(b.module("__main__"), optimizer, key("optimizer"));
  uint32_t groups = b.container("list", 16), state = b.container("dict", 16);
  b.edge(fields, groups, key("groups"));
  b.edge(fields, state, key("state"));
  for (int i = 0; i < 16; ++i) {
    uint32_t parameter = b.array();
    b.edge(groups, parameter, "[0]");
    b.edge(state, parameter, "[key <Parameter>]");
  }
  EXPECT_EQ(Held(b).first().at_once, (std::vector<std::string>{"Adam.groups", "Adam.state"}));
}

TEST(HeapRules, TheSameReferenceFourTimesInARowIsAChain) {
  for (int links : {3, 4}) {
    SnapshotBuilder b;
    uint32_t head = b.object("m.Node"), last = head;
    b.edge(b.module("__main__"), head, key("head"));
    for (int i = 0; i < links; ++i) {
      uint32_t node = b.object("m.Node");
      b.edge(last, node, ".next");
      last = node;
    }
    uint32_t array = b.array();
    b.edge(last, array, ".data");
    EXPECT_EQ(Held(b).first().point, links == 4 ? head : array) << links;
  }
}

// Blocks that several global lists have at once.
SnapshotBuilder shared_blocks(int blocks, int lists) {
  SnapshotBuilder b;
  uint32_t globals = b.module("__main__");
  std::vector<uint32_t> arrays;
  for (int i = 0; i < blocks; ++i) arrays.push_back(b.array());
  for (int i = 0; i < lists; ++i) {
    uint32_t list = b.container("list", static_cast<uint32_t>(blocks));
    b.edge(globals, list, key("list" + std::to_string(i)));
    for (int k = 0; k < blocks; ++k) b.edge(list, arrays[static_cast<size_t>(k)], item(k));
  }
  return b;
}

TEST(HeapRules, TwoThousandBlocksAreAskedForTheirNames) {
  EXPECT_EQ(Held(shared_blocks(2001, 2)).first().count, 2000u);
}

TEST(HeapRules, EightNamesOfABlockAreTold) {
  EXPECT_EQ(Held(shared_blocks(3, 9)).first().together.size(), 8u);
}

TEST(HeapRules, ANameIsLookedForAmongFiveThousandReferrers) {
  // The block itself and the list `near` are two of them.
  for (int between : {4998, 4999}) {
    SnapshotBuilder b;
    uint32_t globals = b.module("__main__"), near = b.container("list", 3),
             inner = b.container("list", 3);
    b.edge(globals, near, key("near"));
    for (int i = 0; i < 3; ++i) {
      uint32_t array = b.array();
      b.edge(near, array, item(i));
      b.edge(inner, array, item(i));
    }
    for (int i = 1; i < between; ++i) {
      uint32_t outer = b.container("list", 1);
      b.edge(outer, inner, "[0]");
      inner = outer;
    }
    b.edge(globals, inner, key("far"));
    EXPECT_EQ(Held(b).first().together.size(), between == 4998 ? 2u : 1u) << between;
  }
}

TEST(HeapRules, FourSetsOfHoldersAreToldOneByOneAndMoreByWhatTheyAreCalled) {
  for (int sets : {4, 5}) {
    SnapshotBuilder b;
    uint32_t globals = b.module("__main__"), layers = b.container("list", 5),
             states = b.container("list", 5);
    b.edge(globals, layers, key("layers"));
    b.edge(globals, states, key("states"));
    for (int i = 0; i < sets; ++i) {
      uint32_t layer = b.users_object("m.Linear"), state = b.users_object("m.State"),
               inputs = b.container("list", 3), seen = b.container("list", 3);
      b.edge(layers, layer, item(i));
      b.edge(states, state, item(i));
      b.edge(b.dict_of(layer), inputs, key("inputs"));
      b.edge(b.dict_of(state), seen, key("seen"));
      for (int k = 0; k < 3; ++k) {
        uint32_t array = b.array();
        b.edge(inputs, array, item(k));
        b.edge(seen, array, item(k));
      }
    }
    EXPECT_EQ(Held(b).count(), sets == 4 ? 4u : 1u) << sets;
  }
}

// ---- tables of containers that grow

// A table of so many bytes in each snapshot; 0: the container has none yet.
bool has_grown(const std::vector<uint64_t>& tables, uint64_t objects_bytes) {
  std::vector<Snapshot> snapshots;
  for (uint64_t bytes : tables) {
    SnapshotBuilder b;
    uint32_t dict = b.container("dict", 100);
    b.edge(b.module("__main__"), dict, key("by_user"));
    if (bytes) b.block(dict, bytes, 5);
    snapshots.push_back(b.snapshot());
  }
  std::vector<HeapGraph> graphs(snapshots.begin(), snapshots.end());
  auto graph_of = [&](size_t i) -> const HeapGraph& { return graphs[i]; };
  return grown_container(snapshots, graph_of, objects_bytes).has_value();
}

TEST(HeapRules, ATableGrowsToTwiceItsSizeAndWithItsObjects) {
  struct {
    const char* what;
    std::vector<uint64_t> tables;
    uint64_t objects;  // bytes
    bool has_grown;
  } rows[] = {
      {"a table of 2048 items", {0, 16 << 10}, 1, true},
      {"a smaller one", {0, (16 << 10) - 1}, 1, false},
      {"twice its size", {100'000, 200'000}, 1, true},
      {"less than twice", {100'000, 199'999}, 1, false},
      {"256 bytes of objects for each byte", {100'000, 200'000}, 25'600'000, true},
      {"more of them", {100'000, 200'000}, 25'600'256, false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(has_grown(row.tables, row.objects), row.has_grown) << row.what;
}

// ---- the shortest way that people would name

// Whether a way by names of the program, of this price, is told rather than one name below such a root.
bool goes_by_names(NodeKind root, int price) {
  SnapshotBuilder b;
  uint32_t here = b.module("__main__"), end = b.object("m.End");
  b.edge(b.root(root), end, key("end"));
  for (price -= 6; price > 0; price -= 4) {
    uint32_t next = b.object("m.Link");
    b.edge(here, next, ".next");
    here = next;
  }
  b.edge(here, end, " local `self`");  // costs 6, other names 4
  Snapshot snapshot = b.snapshot();
  return HeapGraph(snapshot).way_to(end).size() > 3;
}

TEST(HeapRules, RootsBehindWhichNobodyLooksAreFar) {
  struct {
    NodeKind root;
    int price;
  } rows[] = {
      {NodeKind::module_root, 24},  // of a library
      {NodeKind::native_root, 48},
      {NodeKind::garbage_root, 56},
  };
  for (const auto& row : rows) {
    EXPECT_TRUE(goes_by_names(row.root, row.price + 4 - 2)) << row.price;
    EXPECT_FALSE(goes_by_names(row.root, row.price + 4 + 2)) << row.price;
  }
}

TEST(HeapRules, AWayIsLookedForAmongTwentyThousandNodes) {
  for (int between : {19'999, 20'000}) {
    SnapshotBuilder b;
    uint32_t above = b.object("m.Head"), last = above, below = b.object("m.End");
    b.edge(b.module("__main__"), above, key("head"));
    for (int i = 0; i < between; ++i) {
      uint32_t node = b.object("m.Node");
      b.edge(last, node, ".next");
      last = node;
    }
    b.edge(last, below, ".next");
    Snapshot snapshot = b.snapshot();
    size_t steps = HeapGraph(snapshot).way_between(above, below).size();
    EXPECT_EQ(steps, between == 19'999 ? 20'001u : 2u) << "both ends alone: it was not found";
  }
}

// ---- words

TEST(HeapRules, NamesOfSixtyCharactersAreTold) {
  for (size_t length : {60u, 61u}) {
    SnapshotBuilder b;
    uint32_t list = b.container("list", 20);
    b.edge(b.module("__main__"), list, key(std::string(length, 'x')));
    b.fill(list, 20);
    EXPECT_EQ(is_in("…", Held(b).text()), length == 61) << length;
  }
}

TEST(HeapRules, PartsOfACycleAreToldInAHundredCharacters) {
  for (size_t length : {50u, 51u}) {
    SnapshotBuilder b;
    uint32_t tree = b.object("m." + std::string(45, 'T')),
             leaf = b.object("m." + std::string(length - 5, 'L'));
    b.edge(b.root(NodeKind::garbage_root), tree, "");
    b.edge(tree, leaf, ".leaf");
    b.edge(leaf, tree, ".tree");
    b.edge(tree, b.array(), ".data");
    EXPECT_EQ(is_in(" -> ", Held(b).text()), length == 50) << length;
  }
}

}  // namespace
}  // namespace tenure::analyze
