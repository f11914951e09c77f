// Claim: an op run after the session was closed fails with a detached buffer that the program catches.
// Truth: it fails, with ClosedScope, and the history names the close that did it: the first, not the second.
#include "check.h"
#include "session.h"

#include <tenure/errors.h>

using namespace minigraph;

static std::vector<float> estimate_for(Session& runner, Output estimate, Output given,
                                       float value) {
  return runner.fetch(estimate, {{given, {value}}});  // used
}

int main() {
  Graph graph("line");
  Output given = graph.placeholder({});
  Output slope = graph.constant({2.5F}, {}), offset = graph.constant({-0.4F}, {});
  Output estimate = graph.op(Op::add, {graph.op(Op::multiply, {given, slope}), offset});
  Session trainer("trainer");  // born
  {
    expect_near(estimate_for(trainer, estimate, given, 1), {2.1F}, "an open session estimates");
    trainer.close();  // ended
  }
  expect(!trainer.close().was_open, "the second close finds nothing to do");
  try {
    (void)estimate_for(trainer, estimate, given, 0.5F);
    expect(false, "a closed session does not run");
  } catch (const tenure::ClosedScope& error) {
    std::puts(error.what());
    expect(error.history().ended->by == "closing session `trainer`", "who closed it is known");
  }
}
