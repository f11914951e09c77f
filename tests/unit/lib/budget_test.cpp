// Budgets: refused before the allocation, with the names of who holds the most.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tenure/buffer.h"
#include "tenure/errors.h"

namespace tenure {
namespace {

TEST(Budget, refuses_before_the_allocation_and_names_the_five_biggest_owners) {
  Scope session(ScopeKind::session, "s", {.budget_bytes = 1000});
  Scope request = session.open(ScopeKind::request, "r");
  std::vector<Buffer<char>> kept;
  for (std::size_t i = 1; i <= 7; ++i) kept.emplace_back(request, "b" + std::to_string(i), 20 * i);
  try {
    Buffer<char> refused(request, "one too many", 500);
    FAIL() << "the budget was not held";
  } catch (const OverBudget& error) {
    const OverBudget::Facts& facts = error.facts();
    EXPECT_EQ(facts.scope, "session s");
    EXPECT_EQ(facts.live_bytes, 560U);
    EXPECT_EQ(facts.wanted_bytes, 500U);
    ASSERT_EQ(facts.biggest.size(), 5U);
    EXPECT_EQ(facts.biggest[0].name, "b7");
    EXPECT_EQ(facts.biggest[4].name, "b3");
    EXPECT_EQ(facts.biggest[0].scope, "session s / request r");
    EXPECT_NE(std::string(error.what()).find("500 bytes more would break the budget of session s"),
              std::string::npos);
  }
  EXPECT_EQ(session.live_bytes(), 560U);
}

TEST(Budget, can_be_filled_to_the_last_byte) {
  Scope scope(ScopeKind::step, "s", {.budget_bytes = 64});
  Buffer<char> exact(scope, "exact", 64);
  EXPECT_THROW(Buffer<char>(scope, "more", 1), OverBudget);
  exact.end();
  EXPECT_NO_THROW(Buffer<char>(scope, "again", 64));
}

TEST(Budget, of_a_child_holds_within_the_parents) {
  Scope session(ScopeKind::session, "s", {.budget_bytes = 100});
  Scope request = session.open(ScopeKind::request, "r", {.budget_bytes = 10});
  EXPECT_THROW(Buffer<char>(request, "b", 11), OverBudget);
  EXPECT_NO_THROW(Buffer<char>(session, "b", 11));
}

}  // namespace
}  // namespace tenure
