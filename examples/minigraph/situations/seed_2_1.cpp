// Claim: fetching through a closed session is an error, possibly a crash. Truth: an error, with the whole history.
#include "check.h"
#include "session.h"

#include <tenure/errors.h>
#include <string>

using namespace minigraph;

static void show(Session& engine, Output table) {
  std::printf("%g\n", engine.fetch(table)[0]);  // used
}

int main() {
  Session engine("engine");  // born
  Graph graph("stations");
  Output stations = graph.constant({3, 4}, {2});
  Output table =
      graph.op(Op::root, {graph.op(Op::sum, {graph.op(Op::multiply, {stations, stations})})});
  engine.close();  // ended
  try {
    show(engine, table);
    expect(false, "a closed session does not run");
  } catch (const tenure::ClosedScope& error) {
    std::puts(error.what());
    expect(error.history().used->function == "show", "the use is named");
    expect(error.history().ended->function == "main", "and so is the close");
  }
}
