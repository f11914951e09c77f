// Claim: the tensors in between are given back when the session is done. Truth: so it is, and already when the run is
// done.
#include "check.h"
#include "session.h"

using namespace minigraph;

int main() {
  Graph graph("week");
  Output series = graph.constant({11.2F, 12.8F, 9.5F, 14.1F}, {4});
  Output doubled = graph.op(Op::add, {series, series});
  Output smoothed = graph.op(Op::multiply, {doubled, graph.constant({0.5F}, {})});
  Session session("smooth");
  Tensor values = session.run(smoothed);
  expect(session.scope().live_buffers() == 1, "the run left its result only");
  expect_near(values.values(), {11.2F, 12.8F, 9.5F, 14.1F}, "which is right");
  // Ten halvings by a loop: each round's tensors go with it.
  Output halved = graph.loop(
      graph.constant({1024}, {}),
      [&](Output state) { return graph.op(Op::greater, {state, graph.constant({1}, {})}); },
      [&](Output state) { return graph.op(Op::multiply, {state, graph.constant({0.5F}, {})}); });
  expect_near(session.fetch(halved), {1}, "a loop runs until its condition is 0");
  expect(session.close().bytes == 16, "at the end only the result was live");
}
