#include "fifo_queue.h"

#include <utility>

namespace minigraph {

void FifoQueue::enqueue(const std::vector<float>& values, const Extents& shape, SourceLine where) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_closed_ || elements_.size() < capacity_; });
  if (is_closed_) throw QueueClosed("the queue is closed: nothing can be added");
  elements_.emplace_back(scope_, "element", values, shape, where);
  changed_.notify_all();
}

Tensor FifoQueue::dequeue(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  auto is_ready = [&] { return is_closed_ || !elements_.empty(); };
  if (limit == std::chrono::milliseconds::max())
    changed_.wait(lock, is_ready);
  else if (!changed_.wait_for(lock, limit, is_ready))
    throw DeadlineExceeded("nothing was added to the queue in time");
  if (elements_.empty()) throw QueueClosed("the queue is closed and empty");
  Tensor element = std::move(elements_.front());
  elements_.pop_front();
  changed_.notify_all();
  return element;
}

void FifoQueue::close() {
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

void Coordinator::start(std::function<bool()> work) {
  workers_.emplace_back([this, work = std::move(work)] {
    try {
      while (!should_stop_ && work()) continue;
    } catch (const QueueClosed&) {
      // The usual end of a worker.
    }
  });
}

void Coordinator::join() {
  request_stop();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

}  // namespace minigraph
