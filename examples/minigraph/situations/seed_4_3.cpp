// Claim: the array can outlive the call that made it. Truth: it ends with its last handle, at return; memory is flat.
#include "check.h"
#include "eager.h"

using namespace minigraph;

static void check_tile(Eager& eager, int number) {
  std::vector<float> heights(640 * 800, static_cast<float>(number));
  Tensor tile = eager.constant(heights, {640, 800});
  expect(tile.shape() == Extents({640, 800}), "a tile has the right shape");
}

int main() {
  Eager eager("tiles");
  for (int number = 0; number < 50; ++number) check_tile(eager, number);
  expect(eager.scope().live_bytes() == 0, "no tile is live");
  expect(eager.scope().peak_bytes() == 640 * 800 * 4, "there was never more than one");
}
