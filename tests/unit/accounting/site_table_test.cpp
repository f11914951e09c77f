// tests/unit/accounting/site_table_test.cpp: more stacks than the table has sites: imports and libraries leave room for the
// user's own lines.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "../ledger/memory_ledger.h"
#include "inproc/accounting/site_table.h"
#include "inproc/stacks/stack_table.h"
#include "inproc/stacks/users_part.h"

namespace tenure::inproc {
namespace {

constexpr uint32_t kAll = ledger::kCapacity[static_cast<uint32_t>(ledger::TableId::sites)];

class SiteTableTest : public ::testing::Test {
 public:
  SiteTableTest() : ledger_(memory_.writer()) {
    stacks_.start(&ledger_);
    sites_.start(&ledger_);
  }

  StackId call(StackId outer, const std::string& file, int line) {
    StringId name = stacks_.string("f", 1);
    StringId path = stacks_.string(file.data(), static_cast<uint32_t>(file.size()));
    CodeId code = stacks_.code({path, name, 1, 0});
    FrameId frame = stacks_.frame({static_cast<uint32_t>(ledger::FrameKind::python), code.value,
                                   static_cast<uint32_t>(line), line, 0, 0});
    return stacks_.stack(outer, frame);
  }
  SiteId site(StackId stack) { return sites_.find({stack, ledger::BlockKind::heap}); }

  ledger::MemoryLedger memory_;
  ledger::Writer& ledger_;
  StackTable stacks_;
  SiteTable sites_;
};

const char* const kLibrary = "/x/site-packages/lib/a.py";

TEST_F(SiteTableTest, ImportsLeaveRoomForWhatComesAfterThem) {
  StackId import = call(call({}, "work/train.py", 1), "<frozen importlib._bootstrap>", 9);
  for (int n = 0; n < 2 * static_cast<int>(kAll); ++n) site(call(import, kLibrary, n));
  EXPECT_LT(ledger_.used(ledger::TableId::sites), kAll / 2);
  StackId step = call({}, "work/train.py", 20);
  std::set<uint32_t> fine;
  for (int n = 0; n < 100; ++n) fine.insert(site(call(step, kLibrary, n)).value);
  EXPECT_EQ(fine.size(), 100u);
}

TEST_F(SiteTableTest, ManyStacksOfALibraryAreKnownByTheUsersLine) {
  StackId step = call({}, "work/train.py", 20);
  for (int n = 0; n < 2 * static_cast<int>(kAll); ++n) site(call(step, kLibrary, n));
  StackId other_step = call({}, "work/train.py", 30);
  SiteId late = site(call(other_step, kLibrary, 1));
  EXPECT_TRUE(late);
  EXPECT_EQ(late, site(call(other_step, kLibrary, 2)));
  EXPECT_EQ(sites_.site(late).stack, other_step);
  EXPECT_GT(ledger_.header().losses[static_cast<uint32_t>(ledger::Loss::site_coarsened)], 0u);
}

TEST_F(SiteTableTest, WhatAnImportMakesStaysKnownAsItsOwn) {
  StackId line = call({}, "work/train.py", 2);
  StackId import = call(call(line, kLibrary, 5), "<frozen importlib._bootstrap>", 9);
  StackId nested = call(call(import, kLibrary, 7), "<frozen importlib._bootstrap>", 9);
  EXPECT_EQ(users_part(ledger_, call(nested, kLibrary, 8)), import);
  EXPECT_TRUE(is_importing(ledger_, users_part(ledger_, nested)));
  EXPECT_TRUE(has_users_frame(ledger_, nested));
  StackId deep{};
  for (int depth = 1; depth <= 12; ++depth) deep = call(deep, kLibrary, depth);
  StackId late = call(deep, "<frozen importlib._bootstrap>", 9);
  EXPECT_EQ(users_part(ledger_, call(late, kLibrary, 30)), late);
  EXPECT_FALSE(has_users_frame(ledger_, late));
}

TEST_F(SiteTableTest, AStackWithoutTheUsersCodeKeepsItsOutermostFrames) {
  StackId at{}, eighth{};
  for (int depth = 1; depth <= 30; ++depth) {
    at = call(at, kLibrary, depth);
    if (ledger_.record<ledger::Stack>(ledger::TableId::stacks, at.value)->depth == 8) eighth = at;
  }
  EXPECT_EQ(users_part(ledger_, at), eighth);
  EXPECT_EQ(users_part(ledger_, eighth), eighth);
}

}  // namespace
}  // namespace tenure::inproc
