// Scopes: the order of ends, and every order of closing that is not the usual one.
#include "tenure/scope.h"

#include <gtest/gtest.h>

#include <memory_resource>
#include <string>
#include <vector>

#include "tenure/buffer.h"
#include "tenure/errors.h"

namespace tenure {
namespace {

// Writes down which blocks come back, in order.
class Witness : public std::pmr::memory_resource {
 public:
  std::vector<std::size_t> given_back;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    given_back.push_back(bytes);
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

TEST(Scope, closing_ends_children_newest_first_then_buffers_newest_first) {
  Witness memory;
  Scope session(ScopeKind::session, "s", {.memory = &memory});
  Buffer<char> one(session, "one", 1), two(session, "two", 2);
  Scope first = session.open(ScopeKind::request, "first");
  Buffer<char> three(first, "three", 3);
  Scope second = session.open(ScopeKind::request, "second");
  Buffer<char> four(second, "four", 4), five(second, "five", 5);
  session.close();
  EXPECT_EQ(memory.given_back, (std::vector<std::size_t>{5, 4, 3, 2, 1}));
}

TEST(Scope, closing_twice_does_nothing_the_second_time) {
  Scope session(ScopeKind::session, "s");
  Buffer<int> kept(session, "kept", 8);
  EXPECT_TRUE(session.close().was_open);
  LeakReport again = session.close();
  EXPECT_FALSE(again.was_open);
  EXPECT_TRUE(again.is_clean());
}

TEST(Scope, closing_a_parent_closes_its_children) {
  Scope session(ScopeKind::session, "s");
  Scope request = session.open(ScopeKind::request, "r");
  session.close();
  EXPECT_FALSE(request.is_open());
  EXPECT_FALSE(request.close().was_open);
  EXPECT_THROW(Buffer<int>(request, "late", 1), ClosedScope);
}

TEST(Scope, destroying_a_parent_with_live_children_closes_them) {
  auto session = std::make_unique<Scope>(ScopeKind::session, "s");
  Scope request = session->open(ScopeKind::request, "r");
  Buffer<int> kept(request, "kept", 1);
  session.reset();
  EXPECT_FALSE(request.is_open());
  EXPECT_EQ(kept.state(), State::ended);
}

TEST(Scope, a_closed_child_leaves_its_parent_open) {
  Scope session(ScopeKind::session, "s");
  {
    Scope request = session.open(ScopeKind::request, "r");
    Buffer<double> kept(request, "kept", 100);
    EXPECT_EQ(session.live_bytes(), 800U);
  }
  EXPECT_TRUE(session.is_open());
  EXPECT_EQ(session.live_bytes(), 0U);
  EXPECT_EQ(session.peak_bytes(), 800U);
}

TEST(Scope, opening_a_child_of_a_closed_scope_tells_who_closed_it) {
  Scope session(ScopeKind::session, "serving");
  std::uint32_t closed_at = __LINE__ + 1;
  session.close();
  try {
    Scope late = session.open(ScopeKind::step, "late");
    FAIL() << "a closed scope took a child";
  } catch (const ClosedScope& error) {
    EXPECT_EQ(error.history().ended->line, closed_at);
    EXPECT_EQ(error.history().used->line, closed_at + 2);
    EXPECT_EQ(error.history().ended->by, "closing session `serving`");
    EXPECT_NE(std::string(error.what()).find("session `serving` was closed before this use"),
              std::string::npos);
  }
}

TEST(Scope, a_scope_that_was_moved_from_is_closed) {
  Scope first(ScopeKind::session, "s");
  Scope second = std::move(first);
  EXPECT_TRUE(second.is_open());
  EXPECT_FALSE(first.is_open());  // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(first.close().was_open);
  EXPECT_THROW(Buffer<int>(first, "late", 1), ClosedScope);
  EXPECT_THROW((void)first.open(ScopeKind::step, "late"), ClosedScope);
}

TEST(Scope, assignment_closes_what_was_held_before) {
  Scope scope(ScopeKind::step, "one");
  Buffer<int> kept(scope, "kept", 1);
  scope = Scope(ScopeKind::step, "two");
  EXPECT_EQ(kept.state(), State::ended);
  EXPECT_EQ(scope.name(), "two");
}

TEST(Scope, its_path_names_all_parents) {
  Scope session(ScopeKind::session, "serving");
  Scope request = session.open(ScopeKind::request, "r1");
  Scope step = request.open(ScopeKind::step, "decode");
  EXPECT_EQ(step.path(), "session serving / request r1 / step decode");
}

TEST(Scope, the_report_of_a_close_groups_what_was_live_biggest_first) {
  Scope step(ScopeKind::step, "train");
  std::vector<Buffer<float>> kept;
  for (int i = 0; i < 3; ++i) kept.emplace_back(step, "activation", 256);
  Buffer<float> small(step, "loss", 1);
  LeakReport report = step.close();
  ASSERT_EQ(report.survivors.size(), 2U);
  EXPECT_EQ(report.bytes, 3 * 1024 + 4U);
  EXPECT_EQ(report.survivors[0].name, "activation");
  EXPECT_EQ(report.survivors[0].count, 3U);
  EXPECT_EQ(report.survivors[1].bytes, 4U);
  EXPECT_NE(report.text().find("3.0 KiB in 3 buffers  `activation` of step train"),
            std::string::npos)
      << report.text();
}

TEST(Scope, buffers_their_owners_ended_are_in_no_report) {
  Scope step(ScopeKind::step, "train");
  {
    Buffer<float> gone(step, "gone", 256);
  }
  EXPECT_TRUE(step.close().is_clean());
}

TEST(Scope, what_is_live_in_open_scopes_can_be_asked) {
  Scope session(ScopeKind::session, "asked");
  Buffer<char> kept(session, "kept", 12345);
  bool is_told = false;
  for (const Owner& owner : live_now().survivors) is_told = is_told || owner.bytes == 12345;
  EXPECT_TRUE(is_told);
}

TEST(Scope, full_stacks_come_with_every_event_when_asked_for) {
  Scope session(ScopeKind::session, "s", {.has_full_stacks = true});
  Scope request = session.open(ScopeKind::request, "inherits");
  Buffer<int> ended(request, "ended", 1);
  ended.end();
  try {
    (void)ended.data();
    FAIL();
  } catch (const DetachedBuffer& error) {
    EXPECT_GT(error.history().born.stack.size(), 2U);
    EXPECT_GT(error.history().ended->stack.size(), 2U);
    EXPECT_GT(error.history().used->stack.size(), 2U);
  }
}

}  // namespace
}  // namespace tenure
