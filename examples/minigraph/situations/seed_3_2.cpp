// Claim: an explicit close stops the growth. Truth: it changes nothing; the graph, not the session, keeps the
// constants.
#include "check.h"
#include "session.h"

using namespace minigraph;

static float peak_level(const std::vector<float>& channels) {
  Session worker("worker");
  Output source = default_graph().constant(channels, {8, 16000});  // grows
  Output mixdown = default_graph().constant(std::vector<float>(16, 0.125F), {2, 8});
  Output stereo = default_graph().op(Op::matmul, {mixdown, source});
  float level = worker.fetch(default_graph().op(Op::maximum, {stereo}))[0];
  worker.close();
  return level;
}

int main() {
  float loudest = 0;
  for (int number = 0; number < 50; ++number) {
    std::vector<float> recording(8 * 16000, static_cast<float>(number % 7));
    loudest = std::max(loudest, peak_level(recording));
  }
  expect(default_graph().scope().live_bytes() == 50 * (512000 + 64),
         "every constant is still live");
  std::printf("loudest %g\n", loudest);
}
