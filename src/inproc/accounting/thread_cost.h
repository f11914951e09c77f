// inproc/accounting/thread_cost.h: what each thread remembers of what we cost it: own_cost.h reads and writes it.
// World: inside. Owned by its thread.
#pragma once
#include <cstdint>

namespace tenure::inproc {

struct ThreadCost {
  int32_t until_timed;  // slow paths until the next timed one; at or below zero: it is its turn
  uint32_t random;      // 0: not seeded
  uint64_t window_started_ns;
  uint64_t window_ns;  // cost of this thread in the window, scaled up
  uint32_t window_samples;
  uint32_t depth;          // of parts that are metered whole: metered_part.h
  uint32_t parts;          // of them so far
  int32_t turn_put_off;    // until_timed before the outermost of them
  uint64_t part_began_ns;  // processor time of the thread then
};

}  // namespace tenure::inproc
