// The scope tree against a simple reference: random programs of opening, making, leasing, ending, moving and closing.
// The reference knows no locks, records or words: just which scopes are open and where each buffer lives.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tenure/buffer.h"
#include "tenure/errors.h"

namespace tenure {
namespace {

constexpr std::size_t kBudget = 200;

struct ModelScope {
  std::optional<std::size_t> parent;
  bool is_open = true;
};
struct ModelBuffer {
  std::size_t scope = 0;
  std::size_t bytes = 0;
  State state = State::live;
  std::size_t leases = 0;
};

// The whole truth, in plain lists.
struct Model {
  std::vector<ModelScope> scopes;
  std::vector<ModelBuffer> buffers;

  [[nodiscard]] bool is_inside(std::size_t scope, std::size_t of) const {
    for (std::optional<std::size_t> at = scope; at; at = scopes[*at].parent) {
      if (*at == of) return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t live_bytes(std::size_t scope) const {
    std::size_t bytes = 0;
    for (const ModelBuffer& b : buffers) {
      if (b.state == State::live && is_inside(b.scope, scope)) bytes += b.bytes;
    }
    return bytes;
  }
  [[nodiscard]] bool has_room(std::size_t scope, std::size_t bytes) const {
    for (std::optional<std::size_t> at = scope; at; at = scopes[*at].parent) {
      if (live_bytes(*at) + bytes > kBudget) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_leased(std::size_t scope) const {
    for (const ModelBuffer& b : buffers) {
      if (b.state == State::live && b.leases > 0 && is_inside(b.scope, scope)) return true;
    }
    return false;
  }
  void close(std::size_t scope) {
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      if (is_inside(i, scope)) scopes[i].is_open = false;
    }
    for (ModelBuffer& b : buffers) {
      if (b.state == State::live && is_inside(b.scope, scope)) b.state = State::ended;
    }
  }
};

// The library and the reference side by side. Every step does the same to both and compares what came of it.
class Pair {
 public:
  void step() {
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        return open_top();
      case 1:
        return open_child();
      case 2:
        return make();
      case 3:
        return end();
      case 4:
        return lease();
      case 5:
        return drop_lease();
      case 6:
        return move();
      default:
        return *rc::gen::inRange(0, 3) == 0 ? destroy() : close();
    }
  }

  void compare() {
    for (std::size_t i = 0; i < scopes_.size(); ++i) {
      if (!scopes_[i]) continue;  // destroyed
      RC_ASSERT(scopes_[i]->is_open() == model_.scopes[i].is_open);
      RC_ASSERT(scopes_[i]->live_bytes() == model_.live_bytes(i));
    }
    for (std::size_t i = 0; i < buffers_.size(); ++i) compare_buffer(i);
  }

 private:
  [[nodiscard]] static std::size_t any_of(std::size_t count) {
    return *rc::gen::inRange<std::size_t>(0, count);
  }
  // A scope that can still be named: its handle was not destroyed.
  [[nodiscard]] std::optional<std::size_t> any_scope() {
    if (scopes_.empty()) return std::nullopt;
    std::size_t at = any_of(scopes_.size());
    return scopes_[at] ? std::optional(at) : std::nullopt;
  }

  void open_top() {
    scopes_.emplace_back(Scope(ScopeKind::session, "top", {.budget_bytes = kBudget}));
    model_.scopes.push_back({});
  }
  void open_child() {
    auto at = any_scope();
    if (!at) return;
    if (!model_.scopes[*at].is_open) {
      RC_ASSERT_THROWS_AS((void)scopes_[*at]->open(ScopeKind::step, "x"), ClosedScope);
      return;
    }
    scopes_.emplace_back(scopes_[*at]->open(ScopeKind::step, "child", {.budget_bytes = kBudget}));
    model_.scopes.push_back({at, true});
  }
  void make() {
    auto at = any_scope();
    if (!at) return;
    std::size_t bytes = any_of(kBudget);
    Scope& scope = *scopes_[*at];
    if (!model_.scopes[*at].is_open) {
      RC_ASSERT_THROWS_AS(Buffer<char>(scope, "b", bytes), ClosedScope);
    } else if (!model_.has_room(*at, bytes)) {
      RC_ASSERT_THROWS_AS(Buffer<char>(scope, "b", bytes), OverBudget);
    } else {
      buffers_.emplace_back(scope, "b", bytes);
      model_.buffers.push_back({*at, bytes, State::live, 0});
    }
  }
  void end() {
    if (buffers_.empty()) return;
    std::size_t at = any_of(buffers_.size());
    buffers_[at].end();
    if (model_.buffers[at].state == State::live) model_.buffers[at].state = State::ended;
  }
  void lease() {
    if (buffers_.empty()) return;
    std::size_t at = any_of(buffers_.size());
    if (model_.buffers[at].state != State::live) {
      RC_ASSERT_THROWS_AS((void)buffers_[at].lease(), DetachedBuffer);
      return;
    }
    leases_.emplace_back(at, buffers_[at].lease());
    ++model_.buffers[at].leases;
  }
  void drop_lease() {
    if (leases_.empty()) return;
    auto at = leases_.begin() + static_cast<std::ptrdiff_t>(any_of(leases_.size()));
    --model_.buffers[at->first].leases;
    leases_.erase(at);
  }
  void move() {
    auto to = any_scope();
    if (buffers_.empty() || !to) return;
    std::size_t at = any_of(buffers_.size());
    ModelBuffer& from = model_.buffers[at];
    if (from.state != State::live) {
      RC_ASSERT_THROWS_AS((void)buffers_[at].detach_to(*scopes_[*to]), DetachedBuffer);
      return;
    }
    if (!model_.scopes[*to].is_open) {
      RC_ASSERT_THROWS_AS((void)buffers_[at].detach_to(*scopes_[*to]), ClosedScope);
      return;
    }
    from.state = State::detached;  // its bytes leave first
    bool has_room = model_.has_room(*to, from.bytes);
    from.state = State::live;
    if (!has_room) {
      RC_ASSERT_THROWS_AS((void)buffers_[at].detach_to(*scopes_[*to]), OverBudget);
    } else if (from.leases > 0) {
      RC_ASSERT_THROWS_AS((void)buffers_[at].detach_to(*scopes_[*to]), BufferInUse);
    } else {
      buffers_.push_back(buffers_[at].detach_to(*scopes_[*to]));
      from.state = State::detached;
      model_.buffers.push_back({*to, from.bytes, State::live, 0});
    }
  }
  void close() {
    auto at = any_scope();
    if (!at) return;
    bool was_open = model_.scopes[*at].is_open;
    if (was_open && model_.is_leased(*at)) {
      RC_ASSERT_THROWS_AS(scopes_[*at]->close(), BufferInUse);
      return;
    }
    std::size_t bytes = model_.live_bytes(*at);
    LeakReport report = scopes_[*at]->close();
    RC_ASSERT(report.was_open == was_open);
    RC_ASSERT(report.bytes == bytes);
    model_.close(*at);
  }
  // Leases are no hindrance here.
  void destroy() {
    auto at = any_scope();
    if (!at) return;
    scopes_[*at].reset();
    model_.close(*at);
  }

  void compare_buffer(std::size_t i) {
    RC_ASSERT(buffers_[i].state() == model_.buffers[i].state);
    if (model_.buffers[i].state == State::live)
      RC_ASSERT(buffers_[i].values().size() == model_.buffers[i].bytes);
    else
      RC_ASSERT_THROWS_AS((void)buffers_[i].values(), DetachedBuffer);
  }

  Model model_;
  std::deque<std::optional<Scope>> scopes_;
  std::deque<Buffer<char>> buffers_;
  std::vector<std::pair<std::size_t, Lease<char>>> leases_;
};

TEST(ScopeModel, the_tree_does_what_a_plain_list_does) {
  bool is_right = rc::check("random programs", [] {
    Pair pair;
    int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) pair.step();
    pair.compare();
  });
  EXPECT_TRUE(is_right);
}

}  // namespace
}  // namespace tenure
