// tests/unit/analyze/scopes_test.cpp: sessions, graphs and functions as rows: what is one row, and what is added up.
#include "analyze/run/scopes.h"

#include <gtest/gtest.h>

#include "run_builder.h"

namespace tenure::analyze {
namespace {

TEST(Scopes, OfOneKindLineAndStateAreOneRow) {
  RunBuilder run;
  for (uint64_t i = 1; i <= 3; ++i) run.scope(ScopeType::session, 12, i, 15);
  std::vector<ScopeRow> rows = scope_rows(run.record());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].type, ScopeType::session);
  EXPECT_EQ(rows[0].name, "its name");
  EXPECT_EQ(rows[0].state, ScopeState::closed);
  EXPECT_EQ(rows[0].count, 3u);
  EXPECT_EQ(rows[0].items, 6u);
  EXPECT_EQ(rows[0].bytes, 60u);
  EXPECT_EQ(rows[0].created.line, 12);
  EXPECT_EQ(rows[0].created.file, "train.py");
  EXPECT_EQ(rows[0].ended.line, 15);
}

TEST(Scopes, ThatDifferInAnyOfThemAreRowsOfTheirOwn) {
  RunBuilder run;
  run.scope(ScopeType::session, 12, 1, 15);
  run.scope(ScopeType::session, 12, 1);
  run.scope(ScopeType::session, 13, 1);
  run.scope(ScopeType::graph, 13, 1);
  std::vector<ScopeRow> rows = scope_rows(run.record());
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].state, ScopeState::open);
  EXPECT_EQ(rows[1].ended.line, 0);
  EXPECT_EQ(rows[3].type, ScopeType::graph);
}

TEST(Scopes, WhereNoneWereThereAreNoRows) {
  RunBuilder run;
  EXPECT_TRUE(scope_rows(run.record()).empty());
}

}  // namespace
}  // namespace tenure::analyze
