// Claim: a dequeue before the enqueue fails with an error the program catches. Truth: it waits, for ever without a
// limit; nothing was freed too early, nobody fills the queue. With a worker that does, it works.
#include "check.h"
#include "fifo_queue.h"
#include "session.h"

using namespace minigraph;

int main() {
  FifoQueue rows("rows", 16);
  Graph graph("pipeline");
  Output average = graph.op(Op::mean, {graph.dequeue(rows, {4})});
  Session session("averages", std::chrono::milliseconds(50));
  try {
    (void)session.fetch(average);
    expect(false, "nothing comes out of an empty queue");
  } catch (const DeadlineExceeded& error) {
    std::puts(error.what());
  }
  Coordinator coordinator;
  coordinator.start([&, left = 3]() mutable {
    rows.enqueue({1, 2, 3, 6}, {4});
    return --left > 0;
  });
  Session patient("patient");
  for (int i = 0; i < 3; ++i)
    expect_near(patient.fetch(average), {3}, "what a worker adds comes out");
  coordinator.join();
  expect(rows.scope().live_bytes() == 0, "the queue is empty");
}
