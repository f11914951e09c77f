// Buffers: states, checks, histories.
#include "tenure/buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

#include "tenure/errors.h"

namespace tenure {
namespace {

TEST(Buffer, holds_values_while_its_scope_is_open) {
  Scope scope(ScopeKind::request, "r");
  Buffer<int> numbers(scope, "numbers", 10);
  std::iota(numbers.values().begin(), numbers.values().end(), 0);
  EXPECT_EQ(numbers.values()[9], 9);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64, 0U);
}

TEST(Buffer, tells_its_life_when_used_after_its_scope) {
  Scope session(ScopeKind::session, "serving");
  Scope request = session.open(ScopeKind::request, "r1");
  std::uint32_t born = __LINE__ + 1;
  Buffer<float> logits(request, "logits", 1024);
  request.close();
  try {
    (void)logits.values();
    FAIL() << "an ended buffer was readable";
  } catch (const DetachedBuffer& error) {
    const History& history = error.history();
    EXPECT_EQ(history.name, "logits");
    EXPECT_EQ(history.scope, "session serving / request r1");
    EXPECT_EQ(history.state, State::ended);
    EXPECT_EQ(history.bytes, 4096U);
    EXPECT_EQ(history.born.line, born);
    EXPECT_EQ(history.ended->line, born + 1);
    EXPECT_EQ(history.ended->by, "closing request `r1`");
    EXPECT_EQ(history.used->line, born + 3);
    EXPECT_NE(std::string(error.what()).find("buffer `logits` was ended before this use"),
              std::string::npos);
    EXPECT_NE(history.fix.find("before request `r1` is closed"), std::string::npos);
    EXPECT_EQ(history.json().find("{\"subject\":\"buffer\",\"name\":\"logits\""), 0U);
  }
}

TEST(Buffer, ends_with_its_owner) {
  Scope scope(ScopeKind::step, "s");
  Buffer<char> kept(scope, "kept", 10);
  {
    Buffer<char> brief(scope, "brief", 20);
  }
  EXPECT_EQ(scope.live_bytes(), 10U);
  EXPECT_EQ(scope.live_buffers(), 1U);
}

TEST(Buffer, ending_twice_does_nothing) {
  Scope scope(ScopeKind::step, "s");
  Buffer<char> buffer(scope, "b", 10);
  std::uint32_t line = __LINE__ + 1;
  buffer.end();
  buffer.end();
  EXPECT_EQ(buffer.history().ended->line, line);
  EXPECT_EQ(buffer.history().ended->by, "its owner");
}

TEST(Buffer, a_move_takes_the_memory_and_leaves_a_detached_handle) {
  Scope scope(ScopeKind::step, "s");
  Buffer<int> first(scope, "b", 4);
  first.values()[0] = 7;
  Buffer<int> second = std::move(first);
  EXPECT_EQ(second.values()[0], 7);
  EXPECT_EQ(first.state(), State::detached);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)first.values(), DetachedBuffer);
}

TEST(Buffer, detaching_moves_memory_between_scopes_without_a_copy) {
  Scope session(ScopeKind::session, "s");
  Scope request = session.open(ScopeKind::request, "r");
  Buffer<int> result(request, "result", 4);
  result.values()[3] = 11;
  int* before = result.data();
  std::uint32_t line = __LINE__ + 1;
  Buffer<int> kept = result.detach_to(session);
  request.close();
  EXPECT_EQ(kept.data(), before);
  EXPECT_EQ(kept.values()[3], 11);
  EXPECT_EQ(session.live_bytes(), 16U);
  EXPECT_EQ(result.state(), State::detached);
  EXPECT_EQ(result.history().ended->line, line);
  EXPECT_NE(result.history().ended->by.find("moved the memory to session `s`"), std::string::npos);
  EXPECT_THROW((void)result.detach_to(session), DetachedBuffer);
}

TEST(Buffer, detaching_within_one_budget_needs_no_room) {
  Scope session(ScopeKind::session, "s", {.budget_bytes = 100});
  Scope request = session.open(ScopeKind::request, "r");
  Buffer<char> result(request, "result", 100);
  Buffer<char> kept = result.detach_to(session);
  EXPECT_EQ(session.live_bytes(), 100U);
  EXPECT_EQ(request.live_bytes(), 0U);
}

TEST(Buffer, detaching_into_a_closed_or_full_scope_changes_nothing) {
  Scope from(ScopeKind::request, "from");
  Scope closed(ScopeKind::session, "closed"), full(ScopeKind::session, "full", {.budget_bytes = 3});
  closed.close();
  Buffer<char> buffer(from, "b", 4);
  EXPECT_THROW((void)buffer.detach_to(closed), ClosedScope);
  EXPECT_THROW((void)buffer.detach_to(full), OverBudget);
  EXPECT_TRUE(buffer.is_live());
  EXPECT_EQ(from.live_bytes(), 4U);
  EXPECT_EQ(full.live_bytes(), 0U);
}

TEST(Buffer, of_nothing_is_live_too) {
  Scope scope(ScopeKind::step, "s");
  Buffer<int> none(scope, "none", 0);
  EXPECT_TRUE(none.values().empty());
  EXPECT_TRUE(none.is_live());
}

TEST(Buffer, a_size_that_overflows_is_refused) {
  Scope scope(ScopeKind::step, "s");
  std::size_t count = std::numeric_limits<std::size_t>::max() / 4;
  EXPECT_THROW(Buffer<double>(scope, "huge", count), std::bad_alloc);
  EXPECT_EQ(scope.live_bytes(), 0U);
}

TEST(Buffer, foreign_memory_is_given_back_once) {
  int given_back = 0;
  char outside[16] = {};
  {
    Scope scope(ScopeKind::step, "s");
    ForeignMemory memory{outside, [](void* count) noexcept { ++*static_cast<int*>(count); },
                         &given_back};
    Buffer<char> adopted(scope, "adopted", sizeof outside, memory);
    EXPECT_EQ(adopted.data(), outside);
    EXPECT_EQ(scope.live_bytes(), sizeof outside);
    scope.close();
    EXPECT_EQ(given_back, 1);
  }
  EXPECT_EQ(given_back, 1);
}

}  // namespace
}  // namespace tenure
