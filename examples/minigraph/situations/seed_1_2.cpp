// Claim: a tensor made in one branch of an if can be freed although the caller has it. Truth: it lives as long as its
// handle.
#include "check.h"
#include "eager.h"
#include "session.h"

using namespace minigraph;

static Tensor shortened(Eager& eager, const Tensor& step, float limit) {
  float length =
      eager.run(Op::root, {eager.run(Op::sum, {eager.multiply(step, step)})}).values()[0];
  if (length > limit) {
    Tensor scaled = eager.multiply(step, eager.scalar(limit / length));
    return scaled;
  }
  return step;
}

int main() {
  Eager eager("descent");
  Tensor step = shortened(eager, eager.constant({3, 4}, {2}), 1);
  expect_near(step.values(), {0.6F, 0.8F}, "the branch's tensor is the caller's");
  Graph graph("descent");  // the same as an op of a graph
  Output x = graph.placeholder({}), limit = graph.constant({2}, {});
  Output clipped = graph.conditional(graph.op(Op::greater, {x, limit}), limit, x);
  Session session("descent");
  expect_near(session.fetch(clipped, {{x, {5}}}), {2}, "one branch");
  expect_near(session.fetch(clipped, {{x, {1}}}), {1}, "and the other");
}
