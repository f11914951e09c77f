// Claim: the tape keeps the tensors readable, and gradients come out. Truth: the handles keep them; without watch()
// there is no gradient.
#include "check.h"
#include "tape.h"

using namespace minigraph;

int main() {
  Eager eager("throws");
  Tensor speeds = eager.constant({8, 11, 15}, {3});
  Tensor gravity = eager.scalar(9.81F);
  std::optional<Tensor> reach;
  {
    Tape unwatched(eager);
    reach = eager.run(Op::divide, {eager.multiply(speeds, speeds), gravity});
    expect(!unwatched.gradient(*reach, speeds), "nobody watched: no gradient");
  }
  expect_near(reach->values(), {6.5240F, 12.3344F, 22.9358F}, "readable after the tape");
  Tape tape(eager);
  tape.watch(speeds);
  Tensor again = eager.run(Op::divide, {eager.multiply(speeds, speeds), gravity});
  expect_near(tape.gradient(again, speeds)->values(), {1.6310F, 2.2426F, 3.0581F}, "2 v / g");
}
