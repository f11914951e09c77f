// Scopes that close while other threads read, make and end buffers. Made for ThreadSanitizer; what it asserts holds
// everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "tenure/errors.h"
#include "tenure/resource.h"
#include "tenure/tensor_view.h"

namespace tenure {
namespace {

constexpr int kReaders = 4;
constexpr int kRounds = 50;

void read_until_closed(const TensorView<const float>& view, float expected) {
  while (true) {
    try {
      Lease<const float> lease = view.lease();
      for (float value : lease.values()) ASSERT_EQ(value, expected);
    } catch (const InaccessibleTensor& error) {
      // The state may still be live: then the close is waiting.
      EXPECT_NE(error.history().name.find("weights"), std::string::npos);
      return;
    }
  }
}

// One round: readers lease as fast as they can, the scope closes under them.
void close_under_readers(const ScopeOptions& options) {
  Scope session(ScopeKind::session, "s", options);
  Buffer<float> weights(session, "weights", 256);
  std::fill(weights.values().begin(), weights.values().end(), 3.0F);
  TensorView<const float> view = TensorView<float>(weights, {16, 16});
  std::latch is_ready(kReaders + 1);
  std::vector<std::jthread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&, view] {
      is_ready.arrive_and_wait();
      read_until_closed(view, 3.0F);
    });
  }
  is_ready.arrive_and_wait();
  if (options.on_busy == OnBusy::wait) {
    EXPECT_TRUE(session.close().was_open);
  } else {
    session = Scope(ScopeKind::session, "next");  // ends it as the destructor does
  }
  EXPECT_EQ(weights.state(), State::ended);
}

TEST(Threads, a_scope_that_waits_closes_under_readers) {
  for (int i = 0; i < kRounds; ++i) close_under_readers({.on_busy = OnBusy::wait});
}

TEST(Threads, a_scope_that_refuses_ends_under_readers_when_destroyed) {
  for (int i = 0; i < kRounds; ++i) close_under_readers({.on_busy = OnBusy::refuse});
}

TEST(Threads, requests_come_and_go_in_one_session) {
  Scope session(ScopeKind::session, "serving");
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < kReaders; ++i) {
      workers.emplace_back([&] {
        for (int round = 0; round < kRounds; ++round) {
          Scope request = session.open(ScopeKind::request, "r");
          Buffer<int> input(request, "input", 64);
          std::vector<int, Allocator<int>> tokens(16, Allocator<int>(request, "tokens"));
          input.values()[0] = tokens[0];
          if (round % 2 == 0) request.close();
        }
      });
    }
  }
  EXPECT_EQ(session.live_bytes(), 0U);
  EXPECT_TRUE(session.close().is_clean());
}

TEST(Threads, a_session_closes_over_requests_that_are_being_made) {
  for (int i = 0; i < kRounds; ++i) {
    Scope session(ScopeKind::session, "serving");
    std::latch is_ready(kReaders + 1);
    std::vector<std::jthread> workers;
    for (int w = 0; w < kReaders; ++w) {
      workers.emplace_back([&] {
        is_ready.arrive_and_wait();
        try {
          while (true) {
            Scope request = session.open(ScopeKind::request, "r");
            Buffer<int> input(request, "input", 64);
          }
        } catch (const ClosedScope& error) {
          EXPECT_TRUE(error.history().ended.has_value());
        }
      });
    }
    is_ready.arrive_and_wait();
    session.close();
  }
}

TEST(Threads, buffers_move_between_trees_in_both_directions) {
  Scope one(ScopeKind::session, "one"), other(ScopeKind::session, "other");
  auto swing = [](Scope& here, Scope& there) {
    Buffer<char> ball(here, "ball", 10);
    for (int i = 0; i < kRounds; ++i) {
      Buffer<char> moved = ball.detach_to(there);
      ball = moved.detach_to(here);
    }
  };
  {
    std::jthread a([&] { swing(one, other); });
    std::jthread b([&] { swing(other, one); });
  }
  EXPECT_EQ(one.live_bytes() + other.live_bytes(), 0U);
}

}  // namespace
}  // namespace tenure
