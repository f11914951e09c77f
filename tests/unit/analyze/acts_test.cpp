// Which act is told for which evidence.
#include "analyze/findings/acts.h"

#include <gtest/gtest.h>

namespace tenure::analyze {
namespace {

HolderLink link(std::string owner, std::string name, std::string type, bool is_point = false) {
  return {std::move(owner), std::move(name), std::move(type), is_point, false};
}

std::string act_for(Kind kind, std::vector<HolderLink> links, std::vector<ActGrowth> growth = {},
                    std::vector<std::string> made = {}) {
  return known_act({kind, std::move(growth), std::move(links), "", std::move(made)});
}

bool tells(const std::string& sentence, std::string_view code) {
  return sentence.find(code) != std::string::npos;
}

TEST(Acts, PatternsHaveStarsAndAlternatives) {
  EXPECT_TRUE(is_like("queue.Queue", "queue.*|_queue.*"));
  EXPECT_TRUE(is_like("_queue.SimpleQueue", "queue.*|_queue.*"));
  EXPECT_FALSE(is_like("my_queue.Queue", "queue.*|_queue.*"));
  EXPECT_TRUE(is_like("NamedSignal.receivers", "*Signal.receivers"));
  EXPECT_FALSE(is_like("", "queue"));
  EXPECT_TRUE(is_like("", "*"));
}

TEST(Acts, LinksNeedToFollowEachOther) {
  HolderLink a_class = link("", "Report", "type");
  HolderLink cache = link("Report", "total", "functools._lru_cache_wrapper", true);
  EXPECT_TRUE(tells(act_for(Kind::retained_python, {a_class, cache}), "act.cache_of_method"));
  EXPECT_FALSE(tells(act_for(Kind::retained_python, {cache, a_class}), "act.cache_of_method"));
  EXPECT_TRUE(tells(act_for(Kind::retained_python, {cache}), "act.cache"));
}

// One handler that keeps every record is no pile of handlers.
TEST(Acts, ARegistryIsToldWhereItsEntriesPileUp) {
  HolderLink handlers = link("Logger", "handlers", "list", true);
  HolderLink records = link("Keep", "records", "list");
  EXPECT_TRUE(tells(act_for(Kind::retained_python, {handlers, records}), "act.logging_handlers"));
  handlers.is_point = false;
  records.is_point = true;
  EXPECT_EQ(act_for(Kind::retained_python, {handlers, records}), "");
}

TEST(Acts, ItemsAreLookedForBelowThePoint) {
  HolderLink set = link("", "pending", "set", true), task = link("", "", "_asyncio.Task");
  HolderLink pair = link("", "", "tuple");
  EXPECT_TRUE(tells(act_for(Kind::retained_python, {set, task}), "act.tasks"));
  EXPECT_TRUE(tells(act_for(Kind::retained_python, {set, pair, task}), "act.tasks"));
  task.is_point = true;
  set.is_point = false;
  EXPECT_FALSE(tells(act_for(Kind::retained_python, {set, task}), "act.tasks"));
}

// Every local of an asynchronous main() hangs from its coroutine.
TEST(Acts, CoroutinesAreKeptOnlyBelowThePoint) {
  HolderLink coroutine = link("", "", "coroutine"), list = link("main", "jobs", "list", true);
  EXPECT_TRUE(tells(act_for(Kind::retained_python, {list, coroutine}), "act.coroutines"));
  EXPECT_EQ(act_for(Kind::retained_python, {coroutine, list}), "");
}

TEST(Acts, AClassThatKeepsItsOwnInstances) {
  HolderLink list{"Session", "everyone", "list", true, true};
  HolderLink own = link("", "", "__main__.Session"), other = link("", "", "__main__.Request");
  EXPECT_TRUE(tells(act_for(Kind::retained_python, {list, own}), "act.instances"));
  EXPECT_FALSE(tells(act_for(Kind::retained_python, {list, other}), "act.instances"));
}

TEST(Acts, OneBlockIsToldByItsType) {
  HolderLink buffer = link("Reader", "buffer", "bytearray", true);
  EXPECT_TRUE(
      tells(act_for(Kind::retained_python, {buffer}, {ActGrowth::one_block}), "act.bytearray"));
  EXPECT_EQ(act_for(Kind::retained_python, {buffer}), "");
}

TEST(Acts, SharedPointersThatWereFreedAtTheEndAreNoCycle) {
  std::vector<std::string> made{"std::make_shared<Bone>", "build"};
  EXPECT_TRUE(tells(act_for(Kind::native_growth, {}, {ActGrowth::never_freed}, made),
                    "act.shared_pointers"));
  EXPECT_EQ(act_for(Kind::native_growth, {}, {}, made), "");
}

TEST(Acts, WhatIsNotKnownGetsNone) {
  EXPECT_EQ(act_for(Kind::retained_python, {link("Loader", "items", "list", true)}), "");
  EXPECT_EQ(act_for(Kind::native_growth, {}), "");
}

}  // namespace
}  // namespace tenure::analyze
