// analyze/run/timeline.h: live memory of every process over time, and how far the program had come.
// World: offline. Pure over a record.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/record.h"

namespace tenure::analyze {

struct TimelinePoint {
  double seconds = 0;             // since the main process began
  uint64_t live = 0;              // bytes of blocks that are counted one by one
  std::optional<uint64_t> steps;  // of the main series, so far
};

struct ProcessTimeline {
  int pid = 0;
  bool is_main = false;
  std::vector<TimelinePoint> points;
};

std::vector<ProcessTimeline> timelines(const record::Record& record);

}  // namespace tenure::analyze
