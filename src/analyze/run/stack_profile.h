// analyze/run/stack_profile.h: every site of every process with its whole stack, for the formats of other tools.
// World: offline. Pure over a record.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analyze/run/frames.h"
#include "analyze/run/place.h"
#include "record/record.h"

namespace tenure::analyze {

struct MemoryFigures {
  uint64_t bytes = 0;
  uint64_t count = 0;
};

struct StackSample {
  int pid = 0;
  std::vector<ReadableFrame> frames;  // innermost first
  Place place;                        // the line that people are told
  std::string kind;                   // of its blocks
  MemoryFigures at_peak;              // when its process held most
  MemoryFigures live;                 // at the last look
  MemoryFigures total;                // ever made; of small blocks estimated, as the others
};

// By bytes at the peak, largest first.
std::vector<StackSample> stack_samples(const record::Record& record);

}  // namespace tenure::analyze
