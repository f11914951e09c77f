// analyze/run/handler.h: the function of the user's that a library calls: for a request, a task, an event.
// World: offline. Pure over a ledger's stacks.
#pragma once
#include "analyze/run/frames.h"

namespace tenure::analyze {

struct Handler {
  std::string function, file;
  int line = 0;        // where it stands in that function
  uint32_t depth = 0;  // of its frame; 1 is outermost

  bool is_same(const Handler& other) const {
    return function == other.function && file == other.file && line == other.line;
  }
};

// The outermost frame of the user's with a library's Python frame outside it; nothing where the program itself runs it all.
std::optional<Handler> handler_of(Frames& frames, StackId stack);

// What growth is counted in where a library calls it.
std::string call_of(const Handler& handler);

}  // namespace tenure::analyze
