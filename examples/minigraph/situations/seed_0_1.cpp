// Claim: once the names of a graph's inputs are gone, so are their buffers. Truth: the graph owns them, not the names.
#include "check.h"
#include "session.h"

using namespace minigraph;

static Output channel_means(Graph& graph) {
  Output strip = graph.constant({10, 240, 30, 200, 50, 160}, {2, 3});
  Output gains = graph.constant({1.5F, 1, 0.5F, 1.5F, 1, 0.5F}, {2, 3});
  return graph.op(Op::mean, {graph.op(Op::multiply, {strip, gains})});
}

int main() {
  Graph graph("balance");
  Output means = channel_means(graph);  // strip and gains are out of scope here
  Session session("white balance");
  for (int pass = 0; pass < 6; ++pass)
    expect_near(session.fetch(means), {116.6667F}, "every pass gives the same");
  expect(graph.scope().live_buffers() == 2, "both constants are live in the graph");
}
