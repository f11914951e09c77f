// analyze/balance/verdict.h: the one word for a run, from what its processes came to.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <string>

#include "base/vocabulary.h"

namespace tenure::analyze {

// What all processes of a run came to. A sentence that is empty does not hold.
struct Balance {
  bool is_out_of_memory = false;
  bool has_lifetime_error = false;
  bool has_leak = false;
  std::string never_ran;   // a script that Python could not read
  std::string heap_off;    // the program brings its own malloc
  std::string too_short;   // what grows over too few steps
  std::string cut_off;     // it was killed, or still runs, and this is why that says little
  uint64_t steps = 0;      // that were seen
  std::string not_seen;    // memory that no hook saw, or lines that could not be read
  std::string no_symbols;  // native code has no lines: growth of it has no place
};

struct Decision {
  Verdict verdict = Verdict::unknown;
  std::string reason;  // why unknown; empty otherwise
};

Decision decide(const Balance& balance);

}  // namespace tenure::analyze
