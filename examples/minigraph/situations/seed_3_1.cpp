// Claim: the session is never closed and keeps the tensors. Truth: each session is closed; the default graph grows by
// two constants a day.
#include "check.h"
#include "session.h"

using namespace minigraph;

static const std::vector<float> kProfile(80000, 0.5F);

static float deviation(const std::vector<float>& readings) {
  Session session("deviation");
  Output today = default_graph().constant(readings, {80000});  // grows
  Output usual = default_graph().constant(kProfile, {80000});  // grows
  Output gap = default_graph().op(
      Op::mean,
      {default_graph().op(Op::absolute, {default_graph().op(Op::subtract, {today, usual})})});
  return session.fetch(gap)[0];
}

int main() {
  float worst = 0;
  for (int day = 0; day < 60; ++day) {
    std::vector<float> readings = kProfile;
    readings[0] += static_cast<float>(day);
    worst = std::max(worst, deviation(readings));
  }
  expect(default_graph().size() == 300, "five ops a day stay");
  expect(default_graph().scope().live_bytes() == 60 * 2 * 320000, "two constants a day stay");
  std::printf("worst deviation %g\n", worst);
}
