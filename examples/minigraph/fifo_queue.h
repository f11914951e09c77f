// minigraph/fifo_queue.h: a bounded queue of tensors, and threads that fill it until a coordinator stops them.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "tensor.h"

namespace minigraph {

// Nothing more will come.
class QueueClosed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Nothing came in time.
class DeadlineExceeded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class FifoQueue {
 public:
  // Elements belong to the queue while they wait. Its budget is what bounds its memory.
  FifoQueue(std::string_view name, std::size_t capacity, SourceLine where = SourceLine::current())
      : scope_(tenure::ScopeKind::session, name, {}, where), capacity_(capacity) {}

  // Waits for room. Throws QueueClosed.
  void enqueue(const std::vector<float>& values, const Extents& shape,
               SourceLine where = SourceLine::current());
  // Waits for an element. Throws QueueClosed when it is closed and empty, DeadlineExceeded after `limit`.
  [[nodiscard]] Tensor dequeue(std::chrono::milliseconds limit);

  void close();  // what is in it can still be taken
  [[nodiscard]] Scope& scope() noexcept { return scope_; }

 private:
  Scope scope_;
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Tensor> elements_;  // guarded by mutex_
  bool is_closed_ = false;       // guarded by mutex_
};

// Starts workers, and stops and joins them at its end.
class Coordinator {
 public:
  Coordinator() = default;
  ~Coordinator() { join(); }
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // Repeats `work` until it returns false, throws QueueClosed, or a stop is asked for.
  void start(std::function<bool()> work);
  void request_stop() noexcept { should_stop_ = true; }
  void join();

 private:
  std::atomic<bool> should_stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace minigraph
