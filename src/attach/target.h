// attach/target.h: a running process as somebody sees it who wants to attach to it: whether that can be done, and if not why.
// World: beside the program. Asks /proc only; nothing is stopped.
#pragma once
#include <string>

#include "base/result.h"

namespace tenure::attach {

struct Target {
  int pid = 0;
  bool is_in_other_files = false;    // its root is another: a container
  bool is_in_other_network = false;  // sockets of ours are not there for it
};

// Each Error is one sentence that says what to do.
Result<Target> examine(int pid);

}  // namespace tenure::attach
