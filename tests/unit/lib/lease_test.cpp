// Leases: what a scope does that is to close while a buffer is in use.
#include "tenure/lease.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tenure/buffer.h"
#include "tenure/errors.h"

namespace tenure {
namespace {

using namespace std::chrono_literals;

// Memory that says when it is given back.
struct Watched {
  int bytes[4] = {1, 2, 3, 4};
  std::atomic<bool> is_given_back = false;
  ForeignMemory memory() {
    return {bytes, [](void* self) noexcept { static_cast<Watched*>(self)->is_given_back = true; },
            this};
  }
};

TEST(Lease, a_scope_refuses_to_close_over_it_and_says_who_has_it) {
  Scope session(ScopeKind::session, "s");
  Scope request = session.open(ScopeKind::request, "r");
  Buffer<int> weights(request, "weights", 4);
  std::uint32_t line = __LINE__ + 1;
  Lease<int> lease = weights.lease();
  try {
    session.close();
    FAIL() << "closed over a lease";
  } catch (const BufferInUse& error) {
    ASSERT_EQ(error.in_use().size(), 1U);
    EXPECT_EQ(error.in_use()[0].name, "weights");
    EXPECT_EQ(error.in_use()[0].used->line, line);
    EXPECT_NE(std::string(error.what()).find("session `s` cannot be closed: buffer `weights`"),
              std::string::npos);
  }
  EXPECT_TRUE(session.is_open());
  EXPECT_TRUE(weights.is_live());
  lease.end();
  EXPECT_TRUE(session.close().was_open);
}

TEST(Lease, keeps_memory_beyond_the_destruction_of_its_scope) {
  Watched watched;
  auto scope = std::make_unique<Scope>(ScopeKind::session, "s");
  auto buffer = std::make_unique<Buffer<int>>(*scope, "b", 4, watched.memory());
  Lease<int> lease = buffer->lease();
  scope.reset();
  EXPECT_EQ(buffer->state(), State::ended);
  EXPECT_THROW((void)buffer->values(), DetachedBuffer);
  buffer.reset();
  EXPECT_FALSE(watched.is_given_back);
  EXPECT_EQ(lease.values()[3], 4);
  lease.end();
  EXPECT_TRUE(watched.is_given_back);
  EXPECT_TRUE(lease.values().empty());
}

TEST(Lease, a_waiting_scope_closes_when_the_last_one_ends) {
  Watched watched;
  Scope session(ScopeKind::session, "s", {.on_busy = OnBusy::wait});
  Buffer<int> buffer(session, "b", 4, watched.memory());
  std::atomic<bool> is_waiting = false;
  std::thread worker([&, lease = buffer.lease()]() mutable {
    is_waiting.wait(false);
    // The close stops new leases before it waits.
    while (true) {
      try {
        Lease<int> another = buffer.lease();
      } catch (const DetachedBuffer&) {
        break;
      }
    }
    EXPECT_FALSE(watched.is_given_back);
    EXPECT_EQ(lease.values()[0], 1);
    lease.end();
  });
  is_waiting = true;
  is_waiting.notify_one();
  EXPECT_TRUE(session.close().was_open);
  EXPECT_TRUE(watched.is_given_back);
  worker.join();
}

TEST(Lease, a_wait_with_a_limit_gives_up_and_leaves_all_as_it_was) {
  Scope session(ScopeKind::session, "s", {.on_busy = OnBusy::wait, .wait_limit = 1ms});
  Buffer<int> buffer(session, "b", 4);
  Lease<int> lease = buffer.lease();
  EXPECT_THROW(session.close(), BufferInUse);
  EXPECT_TRUE(session.is_open());
  EXPECT_NO_THROW((void)buffer.lease());
  EXPECT_NO_THROW(Buffer<int>(session, "more", 1));
}

TEST(Lease, a_leased_buffer_cannot_be_detached) {
  Scope one(ScopeKind::request, "one"), other(ScopeKind::session, "other");
  Buffer<int> buffer(one, "b", 4);
  Lease<int> lease = buffer.lease();
  EXPECT_THROW((void)buffer.detach_to(other), BufferInUse);
  EXPECT_EQ(one.live_bytes(), 16U);
  EXPECT_EQ(other.live_bytes(), 0U);
}

TEST(Lease, moves_from_hand_to_hand) {
  Scope scope(ScopeKind::request, "r");
  Buffer<int> buffer(scope, "b", 4);
  Lease<int> first = buffer.lease();
  Lease<int> second = std::move(first);
  EXPECT_TRUE(first.values().empty());  // NOLINT(bugprone-use-after-move)
  second = buffer.lease();
  EXPECT_THROW(scope.close(), BufferInUse);
  second.end();
  EXPECT_NO_THROW(scope.close());
}

}  // namespace
}  // namespace tenure
