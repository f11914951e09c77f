// Claim: dropping the inputs can make reading the result fail. Truth: the result has a buffer of its own.
#include "check.h"
#include "eager.h"

#include <optional>

using namespace minigraph;

int main() {
  Eager eager("exposures");
  std::optional<Tensor> brief = eager.constant({1, 2, 3, 4}, {2, 2});
  std::optional<Tensor> lengthy = eager.constant({4, 8, 12, 16}, {2, 2});
  Tensor merged = eager.add(*brief, *lengthy);
  brief.reset();
  lengthy.reset();
  expect(eager.scope().live_buffers() == 1, "the inputs are gone");
  expect_near(merged.values(), {5, 10, 15, 20}, "the result is not");
}
