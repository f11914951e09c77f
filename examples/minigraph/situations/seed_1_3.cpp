// Claim: a second name must be bound to a tensor to keep it usable. Truth: the second name changes nothing.
#include "check.h"
#include "eager.h"

using namespace minigraph;

int main() {
  Eager eager("shop");
  Tensor catalogue = eager.constant({2.5F, 7, 1, 13}, {1, 4});
  std::size_t before = eager.scope().live_bytes();
  Tensor current_prices = catalogue;
  expect(eager.scope().live_bytes() == before, "a second name costs nothing");
  expect(current_prices == catalogue, "and is the same tensor");
  Tensor quantities = eager.constant({4, 0, 10, 1}, {4, 1});
  expect_near(eager.matmul(catalogue, quantities).values(), {33}, "the first name works as well");
}
