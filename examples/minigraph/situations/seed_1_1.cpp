// Claim: a tensor that a function returns cannot be reached by the caller. Truth: the caller's handle keeps it.
#include "check.h"
#include "eager.h"

using namespace minigraph;

static Tensor window(Eager& eager) {
  Tensor rising = eager.constant({0, 0.5F, 1, 0.5F}, {4});
  return eager.multiply(rising, eager.scalar(2));
}

int main() {
  Eager eager("tones");
  Tensor shape = window(eager);
  expect_near(shape.values(), {0, 1, 2, 1}, "the returned tensor is readable");
  for (float volume : {0.5F, 1.0F, 2.0F}) {
    Tensor tone = eager.multiply(shape, eager.scalar(volume));
    expect_near(eager.run(Op::sum, {tone}).values(), {4 * volume}, "and usable again and again");
  }
  expect(eager.scope().live_buffers() == 1, "only the window is left");
}
